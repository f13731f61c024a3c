#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

#include "tests/check.h"

namespace addhash::test {
namespace {

int failures = 0;
int shown = 0;  // of one test: a loop may fail a thousand times for one reason
constexpr int kMostShown = 10;

bool holds(const Test& test, const char* part) {
    return std::strstr(test.name, part) != nullptr || std::strstr(test.file, part) != nullptr;
}

bool is_wanted(const Test& test, std::span<char*> parts) {
    bool takes_all = true, is_named = false;
    for (const char* part : parts) {
        if (*part == '-') {
            if (holds(test, part + 1)) return false;
        } else {
            takes_all = false;
            is_named = is_named || holds(test, part);
        }
    }
    return takes_all || is_named;
}

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

// Runs all tests, or those whose name or file holds one of the arguments. Those that hold one that
// begins with a hyphen are left out.
int main(int count, char** arguments) {
    using namespace addhash::test;
    const std::span<char*> wanted(arguments + 1, static_cast<size_t>(count - 1));
    int ran = 0, failed = 0;
    for (const Test& test : tests()) {
        if (!is_wanted(test, wanted)) continue;
        ++ran;
        const int before = failures;
        shown = 0;
        const std::clock_t start = std::clock();
        test.run();
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        const bool ok = failures == before;
        failed += !ok;
        std::printf("%s %s", ok ? "ok    " : "FAILED", test.name);
        std::printf(seconds < 1 ? "\n" : " (%.1f s of processors)\n", seconds);
        std::fflush(stdout);  // a test that crashes is the one after the last line
    }
    std::printf("%d passed, %d failed\n", ran - failed, failed);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
