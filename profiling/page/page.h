/* HTML pages that draw JSON documents: report, comparison, convergence or bench.
 *
 * A page is one self-contained file. The build embeds style and scripts in the program
 * (CMakeLists.txt); the document is embedded in the page as JSON, escaped so that it closes no
 * element. */
#ifndef PROFILING_PAGE_PAGE_H
#define PROFILING_PAGE_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "base/log.h"

/* Write the page of a document and replace an existing file atomically. A NULL document means out
 * of memory. False after one warning that names the file and the reason. */
bool prof_page_write(const char *path, const json_t *document, swe_log *log);

/* Print the page of a document. False: out of memory. The stream keeps its own errors. */
bool prof_page_print(const json_t *document, FILE *out);

/* Write the document beside its page (page.html: page.json). False as for prof_page_write. */
bool prof_page_write_document(const char *path, const json_t *document, swe_log *log);

#endif
