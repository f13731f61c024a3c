#include "parallel/parallel.h"

#include <stdexcept>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr size_t kThreads[] = {0, 1, 2, 3, 8, 33};
constexpr size_t kChunks[] = {0, 1, 2, 3, 7, 64, 1000};

}  // namespace

TEST(every_chunk_is_done_exactly_once) {
    for (size_t threads : kThreads) {
        for (size_t chunks : kChunks) {
            std::vector<std::atomic<int>> done(chunks);
            std::atomic<size_t> workers{0};
            run_parallel(threads, chunks, [&](auto next) {
                ++workers;
                for (size_t chunk = next(); chunk < chunks; chunk = next()) ++done[chunk];
            });
            for (const auto& times : done) CHECK(times == 1);
            CHECK(workers >= 1);
            CHECK(workers <= std::max<size_t>(1, std::min(threads, chunks)));
        }
    }
}

TEST(one_thread_means_this_thread_and_chunks_in_order) {
    const auto self = std::this_thread::get_id();
    std::vector<size_t> order;
    run_parallel(1, 20, [&](auto next) {
        CHECK(std::this_thread::get_id() == self);
        for (size_t chunk = next(); chunk < 20; chunk = next()) order.push_back(chunk);
    });
    CHECK(order.size() == 20 && std::is_sorted(order.begin(), order.end()));
}

TEST(an_exception_stops_the_work_and_is_rethrown) {
    for (size_t threads : kThreads) {
        std::atomic<size_t> done{0};
        std::atomic<int> at_work{0};
        bool is_caught = false;
        try {
            run_parallel(threads, 1000000, [&](auto next) {
                struct Presence {
                    std::atomic<int>& count;
                    explicit Presence(std::atomic<int>& c) : count(c) { ++count; }
                    ~Presence() { --count; }
                } presence(at_work);
                for (size_t chunk = next(); chunk < 1000000; chunk = next()) {
                    if (chunk == 500) throw std::runtime_error("chunk 500");
                    ++done;
                }
            });
        } catch (const std::runtime_error& error) {
            is_caught = std::string(error.what()) == "chunk 500";
        }
        CHECK(is_caught);
        CHECK(at_work == 0);
        CHECK(done >= 500 && done < 1000000);
    }
}

TEST(when_every_thread_fails_one_of_the_exceptions_is_rethrown) {
    for (size_t threads : kThreads) {
        std::atomic<int> thrown{0};
        bool is_caught = false;
        try {
            run_parallel(threads, 100, [&](auto next) {
                next();
                ++thrown;
                throw std::bad_alloc();
            });
        } catch (const std::bad_alloc&) {
            is_caught = true;
        }
        CHECK(is_caught);
        CHECK(thrown >= 1);
    }
}

TEST(threads_that_cannot_be_started_leave_the_work_to_the_others) {
    for (size_t after = 0; after < 24; ++after) {
        std::vector<std::atomic<int>> done(100);
        bool is_done = true;
        try {
            const FailingAllocation failing(after);
            run_parallel(8, done.size(), [&](auto next) {
                for (size_t chunk = next(); chunk < done.size(); chunk = next()) ++done[chunk];
            });
        } catch (const std::bad_alloc&) {
            is_done = false;
        }
        CHECK(is_done);
        for (const auto& times : done) CHECK(times == 1);
    }
}
