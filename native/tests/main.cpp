#include <cstdlib>

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

int main() {
    using namespace addhash::test;
    int failed = 0;
    for (const Test& test : tests()) {
        const int before = failures;
        shown = 0;
        test.run();
        const bool ok = failures == before;
        failed += !ok;
        std::printf("%s %s\n", ok ? "ok    " : "FAILED", test.name);
    }
    std::printf("%d passed, %d failed\n", static_cast<int>(tests().size()) - failed, failed);
    return failed == 0 && !tests().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
