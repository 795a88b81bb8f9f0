# Whether clang can be linked into a program of its own (clang_interface.cpp), which starts in a fifteenth of the time
# that loading libclang takes. Sets
#
#     refrain_static_clang           what to link it with; empty where it cannot be: libclang is loaded then
#     refrain_static_clang_options   how to compile what uses it
#
# AUTO takes the versions of clang that it was tested with (CMakeLists.txt), as clang's C++ interface differs between
# versions.
set(REFRAIN_STATIC_CLANG AUTO CACHE STRING "Link clang into the instrumentor: AUTO, ON (any version) or OFF")
set(refrain_static_clang "")
set(refrain_static_clang_options -O2 -g0 -fno-rtti -fno-exceptions -w)

set(refrain_try_static ${REFRAIN_STATIC_CLANG})
string(REGEX MATCH "llvm-([0-9]+)" matched "${refrain_llvm_prefix}")
if(REFRAIN_STATIC_CLANG STREQUAL "AUTO")
    set(refrain_try_static OFF)
    if("${CMAKE_MATCH_1}" IN_LIST refrain_static_clang_tested AND NOT REFRAIN_SANITIZE)
        set(refrain_try_static ON)
    endif()
endif()
if(refrain_try_static)
    include(CheckLanguage)
    check_language(CXX)
    find_program(REFRAIN_LLVM_CONFIG llvm-config PATHS ${refrain_llvm_prefix}/bin NO_DEFAULT_PATH)
endif()
if(refrain_try_static AND CMAKE_CXX_COMPILER AND REFRAIN_LLVM_CONFIG)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(refrain_clang_libraries "")
    foreach(name Frontend Driver Serialization Parse Sema Analysis APINotes Edit Support AST ASTMatchers Lex Basic)
        if(EXISTS ${refrain_llvm_prefix}/lib/libclang${name}.a)
            list(APPEND refrain_clang_libraries ${refrain_llvm_prefix}/lib/libclang${name}.a)
        endif()
    endforeach()
    # What these use of LLVM's, as far as that version has it, and of the system's.
    execute_process(COMMAND ${REFRAIN_LLVM_CONFIG} --components OUTPUT_VARIABLE components ERROR_QUIET)
    string(REGEX MATCHALL "frontendopenmp|frontendhlsl|windowsdriver|targetparser|option" components "${components}")
    execute_process(COMMAND ${REFRAIN_LLVM_CONFIG} --link-static --libfiles ${components}
                    OUTPUT_VARIABLE refrain_llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    separate_arguments(refrain_llvm_libraries)
    execute_process(COMMAND ${REFRAIN_LLVM_CONFIG} --link-static --system-libs OUTPUT_VARIABLE system_libraries ERROR_QUIET)
    string(REGEX MATCHALL "-l[a-z0-9]+" system_libraries "${system_libraries}")
    list(FILTER system_libraries INCLUDE REGEX "^-l(rt|dl|m|z|zstd|tinfo)$")
    # At fixed addresses, with all libraries in it: nothing is left to find, map and relocate.
    set(refrain_static_link -static -no-pie -Wl,--gc-sections
        -Wl,--wrap=dlopen,--wrap=getpwnam,--wrap=getpwuid,--wrap=getpwnam_r,--wrap=getpwuid_r -Wl,--start-group
        ${refrain_clang_libraries} ${refrain_llvm_libraries} -Wl,--end-group ${system_libraries} -lpthread)
    if(NOT DEFINED REFRAIN_STATIC_CLANG_LINKS)
        message(STATUS "Linking clang into a program")
        # Whether the libraries are all there shows a program with a class that uses them. Only a version that was not tested
        # has to show that clang_interface.cpp compiles, which takes as long as compiling a hundred other sources.
        file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/try_clang.cpp
             "extern \"C\" void _ZN5clang7ASTUnitD1Ev(void *unit);\nint main(int n, char **v) { if (n > 1) _ZN5clang7ASTUnitD1Ev(v); return 0; }\n")
        set(try_sources ${CMAKE_CURRENT_BINARY_DIR}/try_clang.cpp)
        set(try_link ${refrain_static_link})
        list(FILTER try_link EXCLUDE REGEX "--wrap|--gc-sections") # the functions around them are in clang_interface.cpp
        if(NOT REFRAIN_STATIC_CLANG STREQUAL "AUTO")
            list(APPEND try_sources ${CMAKE_CURRENT_SOURCE_DIR}/clang_interface.cpp)
            set(try_link ${refrain_static_link})
        endif()
        try_compile(links ${CMAKE_CURRENT_BINARY_DIR}/try_clang
                    SOURCES ${try_sources}
                    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${REFRAIN_CLANG_INCLUDE_DIR}
                    COMPILE_DEFINITIONS -D_GNU_SOURCE -w
                    LINK_LIBRARIES ${try_link}
                    CXX_STANDARD 17
                    OUTPUT_VARIABLE output)
        file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/try_clang.log "${output}")
        message(STATUS "Linking clang into a program - ${links}")
        set(REFRAIN_STATIC_CLANG_LINKS ${links} CACHE INTERNAL "clang can be linked into a program")
    endif()
    if(REFRAIN_STATIC_CLANG_LINKS)
        set(refrain_static_clang ${refrain_static_link})
    endif()
endif()
if(NOT refrain_static_clang)
    message(STATUS "Without clang's static libraries, files compile more slowly (docs/builds.md)")
endif()
