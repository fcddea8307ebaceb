# Options, the build type, and the flags that all targets of this project share.
option(CUBESWE_CUDA "Build the CUDA backend where the toolkit is found" ON)
option(CUBESWE_REQUIRE_CUDA "Stop with an error where no CUDA toolkit is found" OFF)
option(CUBESWE_MPI "Compute on several ranks (MPI)" OFF)
option(CUBESWE_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
option(CUBESWE_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(CUBESWE_SANITIZE_THREADS "Thread sanitizer (needs clang: its OpenMP runtime reports barriers to the sanitizer)" OFF)
option(CUBESWE_FUZZ "Fuzz targets under libFuzzer; turns CUBESWE_SANITIZE on (needs clang)" OFF)
option(CUBESWE_ONE_ISA "CPU code for the processor of this machine alone: a third of the build time" OFF)
option(CUBESWE_SHARED "Link the program and the GPU tests to one shared library, which tools/bundle packs" OFF)
option(CUBESWE_REPRODUCIBLE "No FMA contraction: CPU and CUDA agree to the last bit" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Flags that reorder sums, flush subnormal numbers, or take isfinite() for true. base/point.h refuses them where they
# come by other ways.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(given "$ENV{CUDAFLAGS} $ENV{NVCC_PREPEND_FLAGS} $ENV{NVCC_APPEND_FLAGS} ${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS}")
foreach(language C CXX CUDA)
  string(APPEND given " ${CMAKE_${language}_FLAGS} ${CMAKE_${language}_FLAGS_${type}}")
endforeach()
if(given MATCHES "-(Ofast|f(fast-math|finite-math-only|(associative|reciprocal)-math|unsafe-math-optimizations|no-signed-zeros)|-?use_fast_math|f?fp-model[= ]fast|-?ftz[= ]true|-?prec-(div|sqrt)[= ]false)")
  message(FATAL_ERROR "${CMAKE_MATCH_0} changes results and hides NaN: remove it from the flags of the compilers "
    "(CFLAGS, CXXFLAGS, CUDAFLAGS, LDFLAGS, NVCC_APPEND_FLAGS) and delete ${PROJECT_BINARY_DIR}/CMakeCache.txt, which keeps them")
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the library is shared; the program has the same objects
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()

# Where ccache is installed, it keeps what was compiled.
find_program(CUBESWE_CCACHE ccache)
mark_as_advanced(CUBESWE_CCACHE)
foreach(language C CXX CUDA)
  if(CUBESWE_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${CUBESWE_CCACHE})
  endif()
endforeach()

# Every target of this project links cubeswe_flags: cubeswe_plain_flags and the sanitizers of the build.
add_library(cubeswe_plain_flags INTERFACE)
add_library(cubeswe_flags INTERFACE)
target_link_libraries(cubeswe_flags INTERFACE cubeswe_plain_flags)
set(host "$<OR:$<COMPILE_LANGUAGE:C>,$<COMPILE_LANGUAGE:CXX>>")
target_compile_definitions(cubeswe_plain_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(cubeswe_plain_flags INTERFACE "$<${host}:-Wall;-Wextra;-Wpedantic>")
# The profiler records __FILE__ of each allocation: as a path from the root of the sources. ccache may make paths
# relative to the folder of the build.
file(RELATIVE_PATH root_of_sources ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
target_compile_options(cubeswe_plain_flags INTERFACE
  "$<${host}:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=;-fmacro-prefix-map=${root_of_sources}=>")
if(CUBESWE_WARNINGS_AS_ERRORS)
  target_compile_options(cubeswe_plain_flags INTERFACE
    "$<${host}:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(CUBESWE_ONE_ISA)
  target_compile_definitions(cubeswe_plain_flags INTERFACE SWE_NO_CLONES)
  target_compile_options(cubeswe_plain_flags INTERFACE "$<${host}:-march=native>")
endif()
# Debug information that names functions, also inlined ones: it tells the profiler what code of a stage runs
# (profile.parts), and the code stays the same. That of clang names only functions that inline others, unless it is for
# profilers.
set(CUBESWE_STAGES_OPTIONS "$<$<CONFIG:Release>:-g1>" "-fdebug-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  list(APPEND CUBESWE_STAGES_OPTIONS -fdebug-info-for-profiling)
endif()
if(CUBESWE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CUBESWE_FUZZ needs clang (CC=clang-14 CXX=clang++-14)")
  endif()
  set(CUBESWE_SANITIZE ON)
  target_compile_options(cubeswe_flags INTERFACE "$<${host}:-fsanitize=fuzzer-no-link>")
  # no fuzzed input reaches a stage: libFuzzer needs no counters there
  list(APPEND CUBESWE_STAGES_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()
if(CUBESWE_SANITIZE)
  # Stages index arrays in unrolled loops. Checks for null, misaligned and overflowing addresses take most of the
  # compiler's time there, and the address sanitizer checks the accesses themselves.
  list(APPEND CUBESWE_STAGES_OPTIONS -fno-sanitize=null,alignment,pointer-overflow)
endif()
if(CUBESWE_SANITIZE OR CUBESWE_SANITIZE_THREADS) # most of the tests' time; presets compile the rest with -O1
  list(APPEND CUBESWE_STAGES_OPTIONS -O2)
endif()
if(CUBESWE_SANITIZE)
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer)
  target_compile_definitions(cubeswe_flags INTERFACE SWE_NO_CLONES)
  target_compile_options(cubeswe_flags INTERFACE "$<${host}:${sanitize}>")
  # With every access checked no loop vectorises: clang would warn of each.
  target_compile_options(cubeswe_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:C,Clang>:-Wno-pass-failed>")
  target_link_options(cubeswe_flags INTERFACE ${sanitize})
endif()
# The flags of what is compiled in one precision. Sanitizers check double precision; single precision has the same
# sources, and is compiled as in a release: clang warns there of rows of stages that do not vectorise.
add_library(cubeswe_release_flags INTERFACE)
target_link_libraries(cubeswe_release_flags INTERFACE cubeswe_plain_flags)
target_compile_options(cubeswe_release_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:C,Clang>:-O3;-g0;-Wpass-failed>")
set(CUBESWE_FLAGS_double cubeswe_flags)
set(CUBESWE_FLAGS_single $<IF:$<BOOL:${CUBESWE_SANITIZE}>,cubeswe_release_flags,cubeswe_flags>)
if(CUBESWE_SANITIZE_THREADS)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CUBESWE_SANITIZE_THREADS needs clang (CC=clang-14 CXX=clang++-14)")
  endif()
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
  target_compile_definitions(cubeswe_flags INTERFACE SWE_NO_CLONES)
  target_compile_options(cubeswe_flags INTERFACE "$<${host}:${sanitize}>"
    "$<$<COMPILE_LANG_AND_ID:C,Clang>:-Wno-pass-failed>")
  target_link_options(cubeswe_flags INTERFACE ${sanitize})
endif()
# Calls within a source are inlined as in a program: nothing replaces a function of the library.
target_compile_options(cubeswe_plain_flags INTERFACE "$<${host}:-fno-semantic-interposition>")
# No code reads errno after a square root, and setting it prevents vectorised square roots.
target_compile_options(cubeswe_plain_flags INTERFACE "$<${host}:-fno-math-errno>")
# clang carries values that it loads early over to the next column, and then cannot vectorise the row.
target_compile_options(cubeswe_plain_flags INTERFACE
  "$<$<COMPILE_LANG_AND_ID:C,Clang>:SHELL:-mllvm -enable-load-pre=false>")
if(CUBESWE_REPRODUCIBLE)
  # Where gcc 12 vectorises straight code, it forms vfmsubadd in spite of -ffp-contract=off.
  target_compile_options(cubeswe_plain_flags INTERFACE
    "$<${host}:-ffp-contract=off;-fno-tree-slp-vectorize>" "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>")
else()
  target_compile_options(cubeswe_plain_flags INTERFACE "$<${host}:-ffp-contract=fast>")
endif()
