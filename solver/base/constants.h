/* Numbers of mathematics. */
#ifndef SWE_BASE_CONSTANTS_H
#define SWE_BASE_CONSTANTS_H

#define SWE_PI 3.14159265358979323846

#endif
