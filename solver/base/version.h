/* What this build is. The build system defines both. */
#ifndef SWE_BASE_VERSION_H
#define SWE_BASE_VERSION_H

#ifndef SWE_VERSION
#error "SWE_VERSION must be defined by the build"
#endif
#ifndef SWE_BUILD
#error "SWE_BUILD must be defined by the build"
#endif

#endif
