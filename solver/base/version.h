/* Identity of this build: version, commit, build type and compiler. Generated at build time. */
#ifndef SWE_BASE_VERSION_H
#define SWE_BASE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

extern const char swe_version[]; /* "0.1.0" */
extern const char swe_build[];   /* "971fa004de5f, Release, GNU 12.2.0" */

#ifdef __cplusplus
}
#endif
#endif
