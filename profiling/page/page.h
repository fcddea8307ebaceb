/* A page of HTML that draws a document of JSON: report, comparison, convergence or bench.
 *
 * The page is one file that needs nothing else. Its style and scripts are put into the program by
 * the build (CMakeLists.txt); its document stands in it as JSON that ends no element. */
#ifndef PROFILING_PAGE_PAGE_H
#define PROFILING_PAGE_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "record/log.h"

/* Write the page of a document; a file of that name is replaced as a whole. A document of NULL
 * means that there was no memory for it. False after one warning that names the file and the
 * reason. */
bool prof_page_write(const char *path, const json_t *document, prof_log *log);

/* Print the page of a document. False: no memory; the stream keeps its own failures. */
bool prof_page_print(const json_t *document, FILE *out);

/* Write the document beside its page: page.html gives page.json. False likewise. */
bool prof_page_write_document(const char *path, const json_t *document, prof_log *log);

/* Values of documents. NULL: no memory. */
json_t *prof_json_text(const char *text); /* bytes that are no UTF-8 become '?'; NULL is "" */
json_t *prof_json_real(double value);     /* null if it is not finite */

/* Put a value into an object or at the end of an array. Without memory, for either of them, the
 * whole is released and becomes NULL. */
void prof_json_set(json_t **object, const char *key, json_t *value);
void prof_json_append(json_t **array, json_t *value);

#endif
