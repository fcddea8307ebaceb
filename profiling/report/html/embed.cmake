# Write OUTPUT, C source with the text of a file as the array NAME: cmake -D INPUT=.. -D OUTPUT=..
# -D NAME=.. -P embed.cmake
file(READ ${INPUT} text HEX)
string(REGEX REPLACE "(................................)" "\\1\n" text "${text}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${text}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[/* made from @INPUT@ */
#include "report/html/assets.h"

const unsigned char @NAME@[] = {
@text@0x00};
]] @ONLY)
