# The stages compiled with numbers that count. Not linked with the solver, whose names they have.
set(solver ${PROJECT_SOURCE_DIR}/solver)
add_library(counting STATIC support/counting/counting.cpp ${solver}/base/context.c ${solver}/base/tuning.c ${solver}/grid/topology.c
  support/counting/counted_step.c ${solver}/fields/fields.c ${solver}/time/plan.c
  ${solver}/stages/stages.c ${solver}/stages/team_cpu.c)
target_include_directories(counting PUBLIC ${solver} ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(counting PRIVATE SWE_NO_CLONES SWE_NO_SIMD SWE_NO_INLINING)
target_compile_options(counting PRIVATE -Wno-unknown-pragmas
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-c++20-extensions>) # the CPU's rows run on one thread
target_link_libraries(counting PRIVATE cubeswe_flags cubeswe_ranks OpenMP::OpenMP_C
  PUBLIC cubeswe_profiling cuda_emulation m)
# Everything in one source, in a type that is slow to optimise: minutes with all functions inlined, 20 s where these
# are calls. What sanitizers would see in it they see in the stages themselves.
set_source_files_properties(support/counting/counting.cpp PROPERTIES COMPILE_OPTIONS
  "-O1;$<$<CXX_COMPILER_ID:Clang>:-O0>;-g0;-fno-sanitize=all")

# Writes the table of static costs, and checks it (support/counting/cost_table.c).
set(cost_table ${solver}/stages/cost_table.inc)
add_executable(cost_table support/counting/cost_table.c)
target_link_libraries(cost_table PRIVATE cubeswe_flags counting)
add_custom_target(count_costs COMMAND cost_table > cost_table.inc
  COMMAND ${CMAKE_COMMAND} -E copy_if_different cost_table.inc ${cost_table})
add_test(NAME test_cost_table COMMAND cost_table --check ${cost_table})
set_tests_properties(test_cost_table PROPERTIES LABELS unit TIMEOUT 900)
