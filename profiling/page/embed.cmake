# Write OUTPUT, C source with the page as the array page_template. Style and scripts replace their marks in page.html.
# Usage: cmake -D FOLDER=.. -D LIBRARY=.. -D OUTPUT=.. -P embed.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
file(READ ${LIBRARY} library)
string(REPLACE "@style@" "${style}" page "${page}")
string(REPLACE "@library@" "${library}" page "${page}")
foreach(script format elements figures timeline overview times ranks device dataflow comparison studies page)
  file(READ ${FOLDER}/${script}.js text)
  string(APPEND scripts "${text}")
  string(APPEND texts "${text}")
endforeach()
if("${style}${library}${texts}" MATCHES "</?[Ss][Cc][Rr][Ii][Pp][Tt]|<!--|@document@")
  message(FATAL_ERROR "a script or style of the page contains text that would close its element")
endif()
string(REPLACE "@scripts@" "${scripts}" page "${page}")
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html text HEX)
string(REGEX REPLACE "(................................)" "\\1\n" text "${text}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${text}")
file(WRITE ${OUTPUT} "/* generated from ${FOLDER} by embed.cmake */
extern const unsigned char page_template[];
const unsigned char page_template[] = {
${text}0x00};
")
