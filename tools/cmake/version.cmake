# Run at every build: write OUTPUT (version.c) anew if the commit has changed.
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "no commit")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "base/version.h"

const char swe_version[] = "@VERSION@";
const char swe_build[] = "@commit@, @BUILD@";
]] @ONLY)
