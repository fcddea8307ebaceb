# A library that is loaded before all others and makes a chosen call fail, in the program as users have
# it. For x86-64 Linux with glibc, and not under sanitizers, which have an allocator of their own.
set(have_faults OFF)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT CUBESWE_SANITIZE
    AND NOT CUBESWE_SANITIZE_THREADS)
  set(have_faults ON)
  add_library(faults MODULE support/faults/faults.c support/faults/calls.c support/faults/memory.c
    support/faults/clock.c)
  target_link_libraries(faults PRIVATE cubeswe_flags ${CMAKE_DL_LIBS})
  # what is between malloc and its caller, and a memset before free, must stay; names that are the C
  # library's are the point
  target_compile_options(faults PRIVATE -fno-builtin -fno-optimize-sibling-calls -fPIC)
else()
  message(STATUS "Faults are not injected in this build (x86-64 Linux without sanitizers)")
endif()
