/* A file that is read as an initial state. */
#ifndef FUZZ_HOSTILE_STATE_H
#define FUZZ_HOSTILE_STATE_H

#include "hostile_file.h"

enum { HOSTILE_N = 4 };

/* Write a file from the bytes and read it: it is refused with a message, or all values are finite.
 * An expected file is read. */
void hostile_state(const uint8_t *data, size_t size, void (*fill)(hostile *bytes, hid_t file));

#endif
