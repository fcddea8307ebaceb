/* A page of HTML while it is written: its head, markup, text that is escaped, and the way into its
 * file. A page stands alone: nothing is loaded from anywhere. */
#ifndef PROFILING_HTML_PAGE_H
#define PROFILING_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "log.h"

typedef struct page {
    FILE *file;  /* in memory: it is checked once, at the end */
    bool failed; /* there was no memory for a text */
} page;

/* Write a page to a file that is there in full or not at all. False after one warning that names it
 * and the reason. */
typedef void page_writer(page *p, const void *subject);
bool page_save(const char *path, page_writer *write, const void *subject, prof_log *log);

/* All before the body; the text of the title follows. */
void page_head(page *p, const char *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Markup as it stands, with numbers and our own words in it; never with a text of the profile. */
void page_markup(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text, escaped for content and for quoted attributes. NULL is nothing. */
void page_text(page *p, const char *text);
void page_print(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <tag class="class">text</tag>; class may be NULL. */
void page_element(page *p, const char *tag, const char *class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Text as a JSON string that may stand in a script element. */
void page_json_text(page *p, const char *text);

#endif
