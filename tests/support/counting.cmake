# The stages compiled with numbers that count. Not linked with the solver, whose names they have.
set(solver ${PROJECT_SOURCE_DIR}/solver)
add_library(counting STATIC support/counting/counting.cpp ${solver}/base/context.c ${solver}/base/precision.c ${solver}/base/tuning.c ${solver}/grid/topology.c
  ${solver}/stages/cost.c ${solver}/stages/cost_formulas.c ${solver}/stages/cost_kernels.c
  ${solver}/stages/cost_rhs.c ${solver}/stages/cost_parts.c ${solver}/stages/cost_ends.c
  ${solver}/stages/kernels.c ${solver}/stages/stages.c ${solver}/stages/team_cpu.c ${solver}/base/context.c
  ${solver}/base/status.c)
target_include_directories(counting PUBLIC ${solver} ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(counting PRIVATE SWE_NO_CLONES SWE_NO_LANES)
target_compile_options(counting PRIVATE -Wno-unknown-pragmas
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-c++20-extensions>) # the CPU's rows run on one thread
target_link_libraries(counting PRIVATE cubeswe_flags OpenMP::OpenMP_C
  PUBLIC cubeswe_profiling cuda_emulation m)
# Everything in one source, in a type that is slow to optimise: a minute and more where this takes 20 s. What
# sanitizers would see in it they see in the stages themselves.
set_source_files_properties(support/counting/counting.cpp PROPERTIES COMPILE_OPTIONS
  "-O1;$<$<CXX_COMPILER_ID:Clang>:-O0>;-g0;-fno-sanitize=all")
