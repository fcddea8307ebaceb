# The stand-in for CUPTI, where there is CUPTI's header.
set(cupti_emulation ${CMAKE_CURRENT_LIST_DIR}/cupti_emulation)
add_library(fake_cupti SHARED ${cupti_emulation}/cupti_emulation.c
  ${cupti_emulation}/cupti_emulation_api.c ${cupti_emulation}/cupti_emulation_code.c
  ${cupti_emulation}/cupti_emulation_host.cpp
  ${cupti_emulation}/cupti_emulation_profiler.cpp ${cupti_emulation}/cupti_emulation_sampling.cpp)
target_include_directories(fake_cupti PUBLIC ${cupti_emulation})
target_include_directories(fake_cupti SYSTEM PUBLIC ${CUPTI_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_compile_definitions(fake_cupti PRIVATE _DEFAULT_SOURCE)
target_link_libraries(fake_cupti PRIVATE cubeswe_flags)
