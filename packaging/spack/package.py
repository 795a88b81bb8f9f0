# A recipe for Spack: link this directory as packages/refrain into a repository of recipes (spack repo create), then
#     spack install refrain
# builds what is committed in the checkout that the link leads to; `spack dev-build refrain@main` builds a checkout in
# place.
import pathlib

from spack.package import *

checkout = pathlib.Path(__file__).resolve().parents[2]


class Refrain(CMakePackage):
    """Tracer of MPI programs that keeps a whole run in a number of bytes fixed before it starts, by learning what
    repeats, and gives the events back afterwards."""

    # A recipe that was copied instead of linked says here where the sources are.
    git = checkout.as_uri()
    version("main", branch="main")

    license("BSD-3-Clause")

    variant("otf2", default=True, description="Write OTF2 archives")
    variant("top", default=True, description="refrain top: look at a program that runs")
    variant("instrument", default=True, description="refrain-mpicc: functions, loops and branches of C programs")
    variant("view", default=False, description="refrain view: fetches node modules when it is built")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("gawk", type="build")
    depends_on("mpi")
    depends_on("llvm@14: +clang", type=("build", "link", "run"), when="+instrument")
    depends_on("elfutils")
    depends_on("binutils+libiberty")
    depends_on("jansson")
    depends_on("zstd")
    depends_on("otf2@3:", when="+otf2")
    depends_on("ncurses", when="+top")
    depends_on("zlib-api", when="+view")
    depends_on("node-js@20:", type="build", when="+view")
    depends_on("npm", type="build", when="+view")

    conflicts("platform=darwin", msg="refrain reads the process's own ELF files: Linux only")
    conflicts("platform=windows", msg="refrain reads the process's own ELF files: Linux only")

    def cmake_args(self):
        arguments = [self.define("REFRAIN_TESTS", False), self.define("REFRAIN_MPICC", self.spec["mpi"].mpicc)]
        if self.spec.satisfies("+instrument"):
            arguments.append(self.define("REFRAIN_LLVM_DIR", self.spec["llvm"].prefix))
        return arguments
