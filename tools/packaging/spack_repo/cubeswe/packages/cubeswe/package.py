from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Cubeswe(CMakePackage, CudaPackage):
    """Shallow water on the cubed sphere, in C17 and CUDA, with its profiler built in."""

    git = Path(__file__).resolve().parents[6].as_uri()  # the checkout that has this file

    license("Apache-2.0")

    version("0.1.0", branch="main")

    variant("mpi", default=False, description="Compute on several ranks")
    variant("python", default=False, description="Install the package of Python")

    generator("ninja")

    with default_args(type="build"):
        depends_on("c")
        depends_on("cxx")
        depends_on("cmake@3.25:")
        depends_on("curl")
        depends_on("pkgconfig")

    depends_on("elfutils")
    depends_on("hdf5+hl")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("jansson")
    depends_on("libyaml")
    depends_on("mpi", when="+mpi")
    depends_on("openssl")
    depends_on("protobuf-c")
    depends_on("zlib-api")

    with when("+python"):
        extends("python")
        depends_on("python@3.10:", type=("build", "run"))
        depends_on("py-cffi", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))

    def source(self, path):
        return join_path(self.stage.source_path, path)

    @run_before("cmake")
    def fetch_d3(self):
        Executable(self.source("tools/build-libraries"))(self.source("build/d3"))

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("CUBESWE_D3", self.source("build/d3/include/d3.min.js")),
            self.define_from_variant("CUBESWE_CUDA", "cuda"),
            self.define_from_variant("CUBESWE_REQUIRE_CUDA", "cuda"),
            self.define_from_variant("CUBESWE_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define_from_variant("CMAKE_CUDA_ARCHITECTURES", "cuda_arch"))
        return args

    @run_after("install", when="+python")
    def install_python(self):
        cmake("--install", self.build_directory, "--component", "python", "--prefix", python_platlib)
        install_tree(self.source("solver/python/cubeswe"), join_path(python_platlib, "cubeswe"))
