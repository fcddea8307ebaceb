/* FILES THAT ARE WRITTEN: this module opens every output of the program.
 *
 * It writes to regular files only, follows no symbolic link and waits for no pipe. A result is
 * written under a temporary name in its folder, put on the disk and renamed, and the folder is put
 * on the disk: the result is there as a whole, or the file that had its name stays as it was. While
 * a temporary file is written it is locked (flock), so no second writer takes its name.
 *
 * The module keeps a list of the results that this process has published. All functions may be
 * called by several threads. Those that fail leave the reason in errno: prof_output_reason. */
#ifndef PROFILING_OUTPUT_FILE_H
#define PROFILING_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PROF_OUTPUT_PATH = 4400 };

/* A result that is being written. */
typedef struct prof_output_file {
    int file;     /* descriptor of the temporary file; -1: none is open */
    FILE *stream; /* NULL until prof_output_stream */
    char path[PROF_OUTPUT_PATH], temporary[PROF_OUTPUT_PATH];
} prof_output_file;

/* Begin the result of a path as PATH.tmp. A file of that name that no writer holds is replaced. */
bool prof_output_begin(const char *path, prof_output_file *out);

/* The stream of a result; end and discard close it. NULL if it cannot be had. */
FILE *prof_output_stream(prof_output_file *out);

/* Publish the result. On failure nothing is left of it. */
bool prof_output_end(prof_output_file *out);

/* Drop a result that was begun; errno stays. A second call does nothing. */
void prof_output_discard(prof_output_file *out);

/* Create a file that grows under its own name: whatever stands there is replaced, and every write
 * appends. Answers a descriptor, or -1. */
int prof_output_create(const char *path);

/* Open a regular file that is there, with the flags of open(2). Answers a descriptor, or -1. */
int prof_output_open(const char *path, int flags);

/* Whether a path still is the name of an open file. */
bool prof_output_is_named(int file, const char *path);

/* Put a folder on the disk. */
bool prof_output_sync_folder(const char *path);

/* The reason of a failure, in words. */
const char *prof_output_reason(int error);

/* ---- what was published ---------------------------------------------------------------------- */

/* List an open file of this path as it is now, and later calls for the same path instead. */
bool prof_output_list(const char *path, int file);

/* Remove a published file, as intended; likewise take a folder's files from the list, or give them
 * the folder's new name (NULL: none). */
bool prof_output_remove(const char *path);
void prof_output_moved(const char *folder, const char *to);

/* Whether every listed file is there with its inode and its size; otherwise `missing` gets the path
 * of one that is not. */
bool prof_output_all_there(char *missing, size_t size);

#endif
