# cmake -DINPUT=file -DOUTPUT=file.inc -P Embed.cmake: the bytes of a file as the elements of a C array.
file(READ ${INPUT} content HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
file(WRITE ${OUTPUT} "${content}\n")
