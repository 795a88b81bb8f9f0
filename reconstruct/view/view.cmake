# The page of refrain view, bundled when refrain is built: engine.c and the reading library as WebAssembly, page/ by esbuild.
# Takes zlib, node, npm (which fetches what package-lock.json names), and what wasm.cmake takes; wasm2c where it is there. Where one is
# missing refrain is built all the same, and refrain view says so. Sets view_sources, view_libraries, view_definitions.
find_path(ZLIB_INCLUDE_DIR zlib.h)
find_library(ZLIB_LIBRARY z)
if(NOT ZLIB_INCLUDE_DIR OR NOT ZLIB_LIBRARY)
    refrain_left_out("refrain view" "zlib (Debian: zlib1g-dev)")
    return()
endif()
set(view_directory ${CMAKE_CURRENT_SOURCE_DIR}/view)
set(view_build ${PROJECT_BINARY_DIR}/view)
set(view_html ${view_build}/refrain-view.html)
set(view_compare_html ${view_build}/refrain-compare.html)
file(MAKE_DIRECTORY ${view_build})
file(GLOB view_sources CONFIGURE_DEPENDS ${view_directory}/*.c ${view_directory}/*.S)
list(REMOVE_ITEM view_sources ${view_directory}/engine.c)
set(view_libraries ${ZLIB_LIBRARY})
set(view_definitions REFRAIN_HAVE_VIEW)

find_program(NODE NAMES node nodejs)
find_program(NPM npm)
if(NODE AND NPM AND WASM_CLANG_WORKS)
    refrain_built("the page of refrain view")
    set(view_wasm ${view_build}/engine.wasm)
    file(GLOB view_engine CONFIGURE_DEPENDS ${view_directory}/engine.c ${view_directory}/picture_colours.c
         ${CMAKE_CURRENT_SOURCE_DIR}/analysis/followed.c ${CMAKE_CURRENT_SOURCE_DIR}/analysis/picture*.c
         ${view_directory}/view_symbols.c)
    refrain_wasm_objects(view_objects engine "${view_engine};${wasm_sources}" -flto=thin)
    add_custom_command(
        OUTPUT ${view_wasm}
        COMMAND ${wasm_command} -mexec-model=reactor -flto=thin ${view_objects} -o ${view_wasm}
        DEPENDS ${view_objects}
        COMMENT "Linking the page's engine for WebAssembly")
    file(GLOB view_page CONFIGURE_DEPENDS ${view_directory}/page/*)
    add_custom_command(
        OUTPUT ${view_html} ${view_compare_html}
        COMMAND sh ${view_directory}/bundle.sh ${NODE} ${NPM} ${view_wasm} ${view_html} ${view_compare_html}
        DEPENDS ${view_wasm} ${view_page} ${view_directory}/bundle.sh ${view_directory}/build.mjs
                ${view_directory}/package-lock.json
        COMMENT "Bundling the page of refrain view")

    # The engine once more, as C that refrain itself runs (view_machine.h). wasm2c's runtime comes as source with it, up to
    # version 1.0.32 (Debian 12) whole; later ones name things otherwise, and Debian 13's lacks files that it includes.
    find_program(WASM2C wasm2c)
    find_path(WASM2C_RUNTIME wasm-rt-impl.c PATHS /usr/share/wabt/wasm2c)
    if(WASM2C AND WASM2C_RUNTIME)
        execute_process(COMMAND ${WASM2C} --version OUTPUT_VARIABLE wasm2c_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    if(wasm2c_version VERSION_EQUAL 1.0.32)
        set(view_machine ${view_build}/engine_machine.c)
        add_custom_command(
            OUTPUT ${view_machine} ${view_build}/engine_machine.h
            COMMAND ${WASM2C} ${view_wasm} -n engine -o ${view_machine}
            DEPENDS ${view_wasm}
            COMMENT "Translating the page's engine to C")
        set(view_runtime ${WASM2C_RUNTIME}/wasm-rt-impl.c)
        # Every access to memory is checked (so that sanitizers need not), without signals and without 8 GB of address space. No sums are contracted:
        # browsers do not either.
        set(view_checks WASM_RT_USE_MMAP=0 WASM_RT_MEMCHECK_SIGNAL_HANDLER=0 _GNU_SOURCE)
        list(APPEND view_sources ${view_machine} ${view_build}/engine_machine.h ${view_runtime})
        set_source_files_properties(${view_machine} ${view_runtime} PROPERTIES COMPILE_DEFINITIONS "${view_checks}"
                                    COMPILE_OPTIONS "-w;$<IF:$<CONFIG:Debug>,-O0,-O1>;-ffp-contract=off;-fno-sanitize=all")
        set_source_files_properties(${view_directory}/view_machine.c PROPERTIES COMPILE_DEFINITIONS
                                    "${view_checks}" OBJECT_DEPENDS ${view_build}/engine_machine.h
                                    INCLUDE_DIRECTORIES "${view_build};${WASM2C_RUNTIME}")
        set_source_files_properties(${view_directory}/view_ahead.c PROPERTIES COMPILE_DEFINITIONS REFRAIN_HAVE_MACHINE)
    else()
        refrain_left_out("states in pages of long runs, with which they open at once" "wasm2c 1.0.32 (Debian 12: wabt)")
    endif()
else()
    refrain_left_out("the page of refrain view" "node, npm and clang with a C library for wasm32-wasi (Debian: nodejs npm clang lld wasi-libc libclang-rt-dev-wasm32)")
    file(WRITE ${view_html} "")
    file(WRITE ${view_compare_html} "")
endif()
if(NOT view_machine)
    list(REMOVE_ITEM view_sources ${view_directory}/view_machine.c)
endif()
set_source_files_properties(${view_directory}/view_html.S PROPERTIES
                            COMPILE_OPTIONS "-DREFRAIN_VIEW_HTML=\"${view_html}\";-DREFRAIN_COMPARE_HTML=\"${view_compare_html}\""
                            OBJECT_DEPENDS "${view_html};${view_compare_html}")
