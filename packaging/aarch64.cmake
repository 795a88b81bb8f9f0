# CMake toolchain file: refrain for aarch64, built on another machine with Debian's cross compiler, run by qemu:
#     apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
#     cmake -S . -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=$PWD/packaging/aarch64.cmake -DREFRAIN_CORE_ONLY=ON
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(REFRAIN_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
set(CMAKE_CROSSCOMPILING_EMULATOR ${REFRAIN_QEMU} -L /usr/aarch64-linux-gnu)
