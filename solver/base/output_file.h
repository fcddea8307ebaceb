/* OUTPUT FILES: opens every file that the program writes, and publishes results atomically.
 *
 * Only regular files are written; symbolic links are not followed and pipes never block. A result
 * is written under a temporary name in its folder, synced and renamed, then the folder is synced:
 * after a failure the previous file of that name is unchanged. The temporary file is locked
 * (flock), so that a second writer cannot use its name.
 *
 * The module lists the results that this process has published. All functions are thread-safe; a
 * function that fails sets errno, which swe_output_reason describes. */
#ifndef SWE_BASE_OUTPUT_FILE_H
#define SWE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SWE_OUTPUT_PATH = 4400 };

/* A result in progress. */
typedef struct swe_output_file {
    int file;     /* descriptor of the temporary file; -1: not open */
    FILE *stream; /* NULL until swe_output_stream */
    char path[SWE_OUTPUT_PATH], temporary[SWE_OUTPUT_PATH];
} swe_output_file;

/* Create PATH.tmp for the result PATH. An existing PATH.tmp is replaced unless a writer locks it.
 */
bool swe_output_begin(const char *path, swe_output_file *out);

/* Buffered stream of a result, closed by swe_output_end and _discard. NULL on failure. */
FILE *swe_output_stream(swe_output_file *out);

/* Publish the result under its path. A failure before the rename removes the temporary file. */
bool swe_output_end(swe_output_file *out);

/* Remove an unpublished result; errno is preserved. A second call does nothing. */
void swe_output_discard(swe_output_file *out);

/* Create a file for appending under its final name, replacing an existing one. Returns a descriptor
 * or -1. */
int swe_output_create(const char *path);

/* Open an existing regular file with the flags of open(2). Returns a descriptor or -1. */
int swe_output_open(const char *path, int flags);

/* Whether a path still names an open file (same device and inode). */
bool swe_output_is_named(int file, const char *path);

/* Create a folder and its parents; an existing folder is no error. False with errno. */
enum { SWE_PATH_SIZE = 4200 }; /* of its longest path */
bool swe_folder_create(const char *path);

/* Sync a folder to disk. */
bool swe_output_sync_folder(const char *path);

/* Description of an errno value of this module. */
const char *swe_output_reason(int error);

/* ---- published results ----------------------------------------------------------------------- */

/* Add an open file to the list with its present inode and size, or update its entry. */
bool swe_output_list(const char *path, int file);

/* Delete a published file and its entry. Rename the entries of a folder that was moved to `to`, or
 * remove them if `to` is NULL. */
bool swe_output_remove(const char *path);
void swe_output_moved(const char *folder, const char *to);

/* Whether every listed file still exists with its inode and size; if not, the path of the first
 * changed one is copied to `missing`. */
bool swe_output_verify(char *missing, size_t size);

#endif
