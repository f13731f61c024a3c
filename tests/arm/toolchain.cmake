# 64-bit ARM by Debian's cross compiler, with the headers of the Python that tests/arm/python.sh made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(debian ${CMAKE_CURRENT_LIST_DIR}/../../build/arm/python/debian)
set(Python_INCLUDE_DIR ${debian}/usr/include/python3 CACHE PATH "")
file(READ_SYMLINK ${debian}/usr/bin/python3 python)
string(REGEX REPLACE "python([0-9]+)\\.([0-9]+)" "cpython-\\1\\2-aarch64-linux-gnu" SKBUILD_SOABI
       ${python})
include_directories(SYSTEM ${debian}/usr/include)
