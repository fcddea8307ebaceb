/* Files of a window that are compressed by gzip. */
#ifndef PROFILING_OUTPUTS_GZIP_H
#define PROFILING_OUTPUTS_GZIP_H

#include <stdio.h>
#include <zlib.h>

/* The compressed content of a file that prof_file_open opened. Close it before the file. NULL with
 * errno if it cannot be had. */
gzFile prof_gzip_open(FILE *file);

#endif
