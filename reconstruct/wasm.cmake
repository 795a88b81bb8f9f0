# refrain-read.wasm: the reading library but for what opens files, for WebAssembly, with the functions of refrain/read.h but refrain_trace_open and the tables, malloc and
# free exported. Takes a clang for wasm32-wasi, its linker and a C library; without them there is none.
find_program(WASM_CLANG NAMES clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang)
if(WASM_CLANG AND NOT DEFINED WASM_CLANG_WORKS)
    file(WRITE ${PROJECT_BINARY_DIR}/try_wasm.c
         "#include <stdlib.h>\nint main(int c, char **v) { return (int)((long double)atof(v[0]) * c); }\n")
    execute_process(COMMAND ${WASM_CLANG} --target=wasm32-wasi ${PROJECT_BINARY_DIR}/try_wasm.c
                            -o ${PROJECT_BINARY_DIR}/try.wasm RESULT_VARIABLE wasm_result OUTPUT_QUIET ERROR_QUIET)
    if(wasm_result EQUAL 0)
        set(WASM_CLANG_WORKS TRUE CACHE INTERNAL "clang compiles for wasm32-wasi")
    endif()
endif()
if(NOT WASM_CLANG_WORKS)
    refrain_left_out("refrain-read.wasm" "clang with a C library for wasm32-wasi (Debian: clang lld wasi-libc libclang-rt-dev-wasm32)")
    return()
endif()
set(wasm_command ${WASM_CLANG} --target=wasm32-wasi -O2 -std=c11 -Wall -Wextra -fvisibility=hidden
    -I${PROJECT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR})
if(REFRAIN_WERROR)
    list(APPEND wasm_command -Werror)
endif()
file(GLOB wasm_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packed/*.c ${CMAKE_CURRENT_SOURCE_DIR}/analysis/counters.c
     ${CMAKE_CURRENT_SOURCE_DIR}/analysis/open_regions.c ${CMAKE_CURRENT_SOURCE_DIR}/analysis/profile.c
     ${CMAKE_CURRENT_SOURCE_DIR}/analysis/span_times.c ${CMAKE_CURRENT_SOURCE_DIR}/analysis/waiting*.c)
foreach(folder common sequence model times walk match)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
    list(APPEND wasm_sources ${sources})
endforeach()
# Objects of these sources in the list `result`, each compiled by itself: several at once, and again only when it changed.
# `way` names a directory; flags follow.
function(refrain_wasm_objects result way sources)
    foreach(source ${sources})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
        set(object ${PROJECT_BINARY_DIR}/wasm/${way}/${name}.o)
        get_filename_component(directory ${object} DIRECTORY)
        file(MAKE_DIRECTORY ${directory})
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${wasm_command} ${ARGN} -MD -MF ${object}.d -c ${source} -o ${object}
            DEPENDS ${source}
            DEPFILE ${object}.d
            COMMENT "Compiling ${name} for WebAssembly")
        list(APPEND objects ${object})
    endforeach()
    set(${result} ${objects} PARENT_SCOPE)
endfunction()

set(wasm_directory ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
refrain_wasm_objects(wasm_objects read "${wasm_sources}")
add_custom_command(
    OUTPUT ${wasm_directory}/refrain-read.wasm
    COMMAND ${CMAKE_COMMAND} -E make_directory ${wasm_directory}
    COMMAND ${wasm_command} -mexec-model=reactor ${wasm_objects} -Wl,--export-dynamic -Wl,--export=malloc -Wl,--export=free
            -o ${wasm_directory}/refrain-read.wasm
    DEPENDS ${wasm_objects}
    COMMENT "Linking the reading library for WebAssembly")
set(wasm_outputs ${wasm_directory}/refrain-read.wasm)
if(REFRAIN_TESTS)
    # node's own WASI may crash at the end of a program whose memory grew: this one's is large enough from the start.
    refrain_wasm_objects(dump read ${PROJECT_SOURCE_DIR}/tests/dump_images.c)
    add_custom_command(
        OUTPUT ${wasm_directory}/dump_images.wasm
        COMMAND ${wasm_command} ${dump} ${wasm_objects} -Wl,--initial-memory=268435456
                -o ${wasm_directory}/dump_images.wasm
        DEPENDS ${dump} ${wasm_objects} ${wasm_directory}/refrain-read.wasm
        COMMENT "Linking dump_images for WebAssembly")
    list(APPEND wasm_outputs ${wasm_directory}/dump_images.wasm)
endif()
add_custom_target(refrain-read-wasm ALL DEPENDS ${wasm_outputs})
install(FILES ${wasm_directory}/refrain-read.wasm DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
