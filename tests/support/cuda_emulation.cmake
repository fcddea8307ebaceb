# The CUDA sources compiled by the host compiler over the test-only execution layer, as a library and
# as a command line whose backend "cuda" is the emulated one.
set(emulation ${CMAKE_CURRENT_SOURCE_DIR}/support/cuda_emulation)
set(emulated_sources)
set(emulated_of_a_precision)
foreach(source IN LISTS CUBESWE_CUDA_SOURCES CUBESWE_CUDA_OF_A_PRECISION)
  get_filename_component(name ${source} NAME_WE)
  # CMake would give a .cu file to nvcc: include it from a .cpp instead
  set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emulated/${name}.cpp)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n")
  list(APPEND emulated_sources ${wrapper})
  if(source IN_LIST CUBESWE_CUDA_OF_A_PRECISION)
    list(APPEND emulated_of_a_precision ${wrapper})
  endif()
endforeach()

set_source_files_properties(${emulated_sources} PROPERTIES COMPILE_OPTIONS "${CUBESWE_STAGES_OPTIONS}")

set(layer_sources ${emulation}/cuda_emulation.cpp ${emulation}/cuda_emulation_graphs.cpp)
set_source_files_properties(${layer_sources} PROPERTIES COMPILE_OPTIONS "${CUBESWE_STAGES_OPTIONS}")
add_library(cuda_emulation STATIC ${layer_sources})
target_include_directories(cuda_emulation PUBLIC ${emulation})
target_link_libraries(cuda_emulation PRIVATE cubeswe_flags ${CMAKE_DL_LIBS})

add_library(cubeswe_emulated_single OBJECT ${emulated_of_a_precision})
target_compile_definitions(cubeswe_emulated_single PRIVATE SWE_SINGLE)
target_compile_options(cubeswe_emulated_single PRIVATE -Wdouble-promotion)
target_link_libraries(cubeswe_emulated_single PRIVATE ${CUBESWE_FLAGS_single} cubeswe_core cuda_emulation)

add_library(cubeswe_emulated STATIC ${PROJECT_SOURCE_DIR}/solver/backend/registry.c
  ${PROJECT_SOURCE_DIR}/solver/stages/kernel_resources.c ${emulated_sources})
target_compile_definitions(cubeswe_emulated PRIVATE SWE_HAVE_CUDA)
target_link_libraries(cubeswe_emulated PRIVATE cubeswe_flags cubeswe_double cubeswe_single cubeswe_emulated_single
  PUBLIC cubeswe_core cubeswe_ranks cuda_emulation)

add_executable(cubeswe_emulated_cli $<TARGET_OBJECTS:cubeswe_cli>)
set_target_properties(cubeswe_emulated_cli PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(cubeswe_emulated_cli PRIVATE cubeswe_flags cubeswe_emulated
  PkgConfig::protobuf_c ZLIB::ZLIB)
# the stand-in of NCCL calls them
target_link_options(cubeswe_emulated_cli PRIVATE -Wl,--export-dynamic-symbol=cudaLaunchHostFunc
  -Wl,--export-dynamic-symbol=cuda_emulation_live_graphs)

# The layer's own tests.
foreach(name test_cuda_emulation test_cuda_emulation_runtime test_cuda_emulation_graphs)
  set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emulated/${name}.cpp)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${emulation}/${name}.cu\"\n")
  cubeswe_test(${name} LABEL unit SOURCES ${wrapper} LIBRARIES cuda_emulation)
endforeach()
