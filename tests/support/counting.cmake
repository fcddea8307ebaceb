# The stages compiled with numbers that count. Not linked with the solver, whose names they have.
set(solver ${PROJECT_SOURCE_DIR}/solver)
add_library(counting STATIC support/counting/counting.cpp ${solver}/base/precision.c ${solver}/grid/topology.c
  ${solver}/stages/cost.c ${solver}/stages/kernels.c ${solver}/stages/stages.c)
target_include_directories(counting PUBLIC ${solver} ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(counting PRIVATE SWE_NO_CLONES)
target_compile_options(counting PRIVATE -Wno-unknown-pragmas) # the CPU's rows run on one thread
target_link_libraries(counting PRIVATE cubeswe_flags OpenMP::OpenMP_C
  PUBLIC cubeswe_profiling cuda_emulation m)
