#include <cstdlib>
#include <cstring>

#include "tests/check.h"

namespace addhash::test {
namespace {
int failures = 0;
int shown = 0;  // of one test: a loop may fail a thousand times for one reason
constexpr int kMostShown = 10;
}  // namespace

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

void report(bool ok, const char* file, int line, const char* expression) {
    if (ok) return;
    ++failures;
    if (++shown <= kMostShown) std::printf("%s:%d: not true: %s\n", file, line, expression);
}

}  // namespace addhash::test

// Runs all tests, or those whose names hold the argument.
int main(int count, char** arguments) {
    using namespace addhash::test;
    int ran = 0, failed = 0;
    for (const Test& test : tests()) {
        if (count > 1 && std::strstr(test.name, arguments[1]) == nullptr) continue;
        ++ran;
        const int before = failures;
        shown = 0;
        test.run();
        const bool ok = failures == before;
        failed += !ok;
        std::printf("%s %s\n", ok ? "ok    " : "FAILED", test.name);
    }
    std::printf("%d passed, %d failed\n", ran - failed, failed);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
