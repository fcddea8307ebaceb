/* A plane of an XSpace while it is packed: a device or the host, with lines of events.
 *
 * A protobuf message is the concatenation of its fields, so every event is packed on its own and
 * appended: no plane is ever held as messages. An error (no memory) is kept and told at the end. */
#ifndef PROFILING_OUTPUTS_XPLANE_PLANE_H
#define PROFILING_OUTPUTS_XPLANE_PLANE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "outputs/xplane/names.h"
#include "xplane.pb-c.h"

/* Packed fields. */
typedef struct xplane_bytes {
    FILE *file; /* NULL where there was no memory */
    char *bytes;
    size_t size;
} xplane_bytes;

typedef struct xplane_plane {
    int64_t zero; /* where offsets count from [ns since the epoch] */
    xplane_bytes body, line;
    xplane_names event_names, stat_names;
    bool failed;
} xplane_plane;

enum { XPLANE_MOST_STATS = 16 };

/* What is told of an event or a plane, besides its name and time. */
typedef struct xplane_stats {
    xplane_plane *plane;
    int count;
    ProfXplane__Stat stat[XPLANE_MOST_STATS];
} xplane_stats;

/* Numbers of planes; those of GPUs are their indices. */
enum { XPLANE_ID_HOST = 1000, XPLANE_ID_TASK };

void xplane_begin(xplane_plane *plane, int64_t id, const char *name, int64_t zero);
/* Append the plane to an XSpace and release it. False if there was no memory for it; what the file
 * could not take is for the caller to find. */
bool xplane_end(xplane_plane *plane, FILE *space);

void xplane_line_begin(xplane_plane *plane, int64_t id, const char *name);
void xplane_line_end(xplane_plane *plane);

/* Time from the plane's zero [ps]; 0 for what was before. */
int64_t xplane_offset(const xplane_plane *plane, int64_t time);

/* Add an event to the line: by start, and of those that start together the longer one first.
 * `display` (NULL: none) is shown instead of the name. */
void xplane_event(xplane_stats *stats, const char *name, const char *display, int64_t offset,
                  int64_t end_offset);
/* Add stats to the plane itself. */
void xplane_plane_stats(xplane_stats *stats);

/* XProf looks for each stat with one type only. */
void xplane_stat_integer(xplane_stats *stats, const char *name, int64_t value);
void xplane_stat_natural(xplane_stats *stats, const char *name, uint64_t value);
void xplane_stat_real(xplane_stats *stats, const char *name, double value);
void xplane_stat_text(xplane_stats *stats, const char *name, const char *value);

/* Append a message to a file. */
void xplane_pack(const ProtobufCMessage *message, FILE *file);

#endif
