/* What the page carries in it: page.css and page.js, put into the program by the build. */
#ifndef PROFILING_REPORT_HTML_ASSETS_H
#define PROFILING_REPORT_HTML_ASSETS_H

extern const unsigned char html_css[], html_js[]; /* end in zero */

#endif
