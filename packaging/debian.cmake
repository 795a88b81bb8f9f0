# What `cpack` makes of an installation: Debian packages. Configure with -DCMAKE_INSTALL_PREFIX=/usr (package.sh does), so
# that libraries lie where Debian has them.
#
#     refrain             the tools, the monitor, manual pages, completion, documentation, the demo
#     refrain-<mpi>       the wrappers of one MPI implementation, so that nobody needs another one's library
#     refrain-dev         headers, the library that reads traces, pkg-config and CMake files
#     python3-refrain     the Python module
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the refrain authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL refrain dev python ${REFRAIN_MPIS})
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake)

# Whoever builds a package is its maintainer, as with Debian's own tools.
set(CPACK_PACKAGE_CONTACT "the refrain authors <refrain@refrain.invalid>")
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "" AND NOT "$ENV{DEBEMAIL}" STREQUAL "")
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(CPACK_DEBIAN_REFRAIN_PACKAGE_NAME refrain)
# clang's own headers are read when a program is instrumented.
if(REFRAIN_CLANG_RESOURCE_DIR MATCHES "llvm-([0-9]+)")
    set(CPACK_DEBIAN_REFRAIN_PACKAGE_DEPENDS "libclang-common-${CMAKE_MATCH_1}-dev")
endif()
list(TRANSFORM REFRAIN_MPIS PREPEND refrain- OUTPUT_VARIABLE wrappers)
list(JOIN wrappers " | " wrappers)
set(CPACK_DEBIAN_REFRAIN_PACKAGE_RECOMMENDS "${wrappers}, gcc | c-compiler, libdebuginfod1")
configure_file(debian/shlibs.in ${PROJECT_BINARY_DIR}/packaging/shlibs)
set(CPACK_DEBIAN_REFRAIN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers
    ${PROJECT_BINARY_DIR}/packaging/shlibs)
set(CPACK_COMPONENT_REFRAIN_DESCRIPTION "tracer of fixed size for MPI programs
refrain traces MPI programs: who sent what to whom, who waited for whom, when.
It keeps the whole run in a number of bytes that is fixed before the run
starts, by learning what repeats, and gives the events back afterwards, as a
page that draws them, as tables, and as OTF2 and other formats.

The wrappers for the MPI implementation in use are in a package of its name.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME refrain-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "refrain (= ${version}), libdw-dev, libiberty-dev, libzstd-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "tracer of fixed size for MPI programs: headers and reading library
What programs need that name their own regions in the traces of refrain, or
that read these traces themselves.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-refrain)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "refrain (= ${version}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "tracer of fixed size for MPI programs: traces in Python
The events, tables and formulas of refrain's traces as numpy arrays and pandas
data frames.")

foreach(mpi ${REFRAIN_MPIS})
    string(TOUPPER ${mpi} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME refrain-${mpi})
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "refrain (= ${version})")
        set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
    set(name_mpich MPICH)
    set(name_openmpi "Open MPI")
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "tracer of fixed size for MPI programs: wrappers for ${name_${mpi}}
What refrain needs to trace programs that use ${name_${mpi}}.")
endforeach()
set(CPACK_DEBIAN_MPICH_PACKAGE_RECOMMENDS "mpich, libmpich-dev")
set(CPACK_DEBIAN_OPENMPI_PACKAGE_RECOMMENDS "openmpi-bin, libopenmpi-dev")
include(CPack)
