# The stages compiled with numbers that count. Not linked with the solver, whose names they have.
set(solver ${PROJECT_SOURCE_DIR}/solver)
add_library(counting STATIC support/counting/counting.cpp ${solver}/grid/topology.c
  ${solver}/stages/cost.c ${solver}/stages/kernels.c ${solver}/stages/stages.c)
target_include_directories(counting PUBLIC ${solver} ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(counting PRIVATE SWE_NO_CLONES)
# the rows of the CPU run on one thread, and C calls none of the functions that return such a number
target_compile_options(counting PRIVATE
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas;-Wno-return-type-c-linkage>)
target_link_libraries(counting PRIVATE cubeswe_flags OpenMP::OpenMP_C
  PUBLIC cubeswe_profiling cuda_emulation m)
