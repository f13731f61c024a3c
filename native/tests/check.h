// A few lines of test framework: TEST registers a function, CHECK counts and reports.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace addhash::test {

struct Test {
    const char* name;
    const char* file;
    void (*run)();
};

std::vector<Test>& tests();
void report(bool ok, const char* file, int line, const char* expression);

struct Registered {
    Registered(const char* name, const char* file, void (*run)()) {
        tests().push_back({name, file, run});
    }
};

}  // namespace addhash::test

#define TEST(name)                                                                   \
    static void name();                                                              \
    static const addhash::test::Registered registered_##name(#name, __FILE__, name); \
    static void name()

#define CHECK(expression) addhash::test::report((expression), __FILE__, __LINE__, #expression)
