/* The page while it is written: markup, and text that is escaped. */
#ifndef PROFILING_REPORT_HTML_PAGE_H
#define PROFILING_REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct page {
    FILE *file;  /* in memory: it is checked once, at the end */
    bool failed; /* there was no memory for a text */
} page;

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
