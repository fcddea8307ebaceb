/* Shared by the two halves of the library: which call is to fail, and where that is counted. */
#ifndef FAULTS_FAULTS_H
#define FAULTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds of calls that can be made to fail. */
typedef enum faults_kind {
    FAULTS_NONE,
    FAULTS_WRITE,
    FAULTS_READ,
    FAULTS_SYNC,
    FAULTS_RENAME,
    FAULTS_OPEN,
    FAULTS_CLOSE,
    FAULTS_TRUNCATE,
    FAULTS_LOCK,
    FAULTS_MEMORY
} faults_kind;

/* Count a call; whether it is to fail, and then with which errno. `caller` is an address in the
 * code that makes it, NULL if not known. */
bool faults_is_due(faults_kind kind, int *error, const void *caller);

/* See to it that calls of the kernel of a kind are counted. */
void faults_trap(faults_kind kind);

/* Whether fresh and freed memory is filled with NaN. */
bool faults_fills(void);

#endif
