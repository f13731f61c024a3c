#include "parallel/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <stdexcept>
#include <thread>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr size_t kThreads[] = {0, 1, 2, 3, 8, 33, SIZE_MAX};
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

TEST(others_begin_before_this_thread_joins) {
    std::atomic<size_t> done{0};
    const auto work = [&](auto next) {
        while (next() < 100) ++done;
    };
    ParallelRun run(2, 100, work);
    while (done < 100) std::this_thread::yield();
    run.join();
    CHECK(done == 100);
}

TEST(a_run_that_is_not_joined_ends) {
    std::atomic<int> at_work{0};
    {
        const auto work = [&](auto next) {
            ++at_work;
            while (next() < SIZE_MAX / 2) std::this_thread::yield();
            --at_work;
        };
        const ParallelRun run(3, SIZE_MAX / 2, work);
        while (at_work == 0) std::this_thread::yield();
    }
    CHECK(at_work == 0);
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

namespace {

// Returns once `count` threads are at work together: each takes one chunk and waits for the others.
std::set<std::thread::id> threads_at_work(size_t count) {
    std::set<std::thread::id> seen;
    std::mutex mutex;
    std::condition_variable arrived;
    run_parallel(count, count, [&](auto next) {
        next();
        std::unique_lock lock(mutex);
        seen.insert(std::this_thread::get_id());
        arrived.notify_all();
        arrived.wait(lock, [&] { return seen.size() == count; });
    });
    return seen;
}

}  // namespace

TEST(helpers_are_kept_for_the_next_work) {
    const auto first = threads_at_work(3);
    CHECK(idle_helpers() >= 2);
    CHECK(threads_at_work(3) == first);
}

TEST(idle_helpers_are_no_more_than_cores_can_use) {
    std::vector<std::thread> callers;
    for (size_t i = 0; i < 8; ++i) callers.emplace_back([] { threads_at_work(4); });
    for (std::thread& caller : callers) caller.join();
    CHECK(idle_helpers() <= useful_threads(SIZE_MAX, SIZE_MAX));
}

// The thread sanitizer starts no threads in the child of a process that has some.
#ifndef ADDHASH_SANITIZE_THREAD
TEST(children_forked_have_helpers_of_their_own) {
    threads_at_work(3);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // a child that waits for its parent's threads is ended by the signal
        _exit(idle_helpers() == 0 && threads_at_work(3).size() == 3 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

TEST(threads_are_no_more_than_chunks_or_cores) {
    CHECK(useful_threads(0, 0) == 1 && useful_threads(1, 100) == 1 && useful_threads(100, 1) == 1);
    CHECK(useful_threads(3, 100) == 3 && useful_threads(100, 3) == 3);
    const size_t cores = std::max(4u, std::thread::hardware_concurrency());
    CHECK(useful_threads(SIZE_MAX, SIZE_MAX) >= 4 && useful_threads(SIZE_MAX, SIZE_MAX) <= cores);
}

namespace {

struct Stop {};
std::atomic<int> times_asked{0};
std::atomic<int> asked_before_stop{0};

void stop_after_a_while() {
    if (++times_asked > asked_before_stop) throw Stop();
}

// Works until it is ended; gives up after 20 seconds.
template <class Work> bool is_ended(int asked, Work&& work) {
    times_asked = 0;
    asked_before_stop = asked;
    const Interrupt interrupt(stop_after_a_while);
    try {
        work();
    } catch (const Stop&) {
        return times_asked == asked + 1;
    }
    return false;
}

bool is_late(std::chrono::steady_clock::time_point start) {
    return std::chrono::steady_clock::now() - start > std::chrono::seconds(20);
}

}  // namespace

TEST(work_is_ended_between_chunks_on_any_number_of_threads) {
    for (size_t threads : {1, 2, 4}) {
        const auto start = std::chrono::steady_clock::now();
        std::atomic<int> at_work{0};
        CHECK(is_ended(2, [&] {
            run_parallel(threads, SIZE_MAX, [&](auto next) {
                ++at_work;
                struct Leave {
                    std::atomic<int>& count;
                    ~Leave() { --count; }
                } leave{at_work};
                while (next() != SIZE_MAX && !is_late(start)) {
                }
            });
        }));
        CHECK(at_work == 0 && !is_late(start));
    }
}

// The thread that asks is done with its share and waits: it still asks, and ends the helper.
TEST(a_helper_is_ended_while_the_asking_thread_waits) {
    const auto start = std::chrono::steady_clock::now();
    const auto asking = std::this_thread::get_id();
    CHECK(is_ended(1, [&] {
        run_parallel(2, 2, [&](auto next) {
            if (std::this_thread::get_id() == asking) {
                while (next() < 2) {
                }
                return;
            }
            while (!is_late(start)) check_interrupt();
        });
    }));
    CHECK(!is_late(start));
}

// A helper that waits for helpers of its own is interrupted and returns while one of them still
// fails. The thread sanitizer sees a failure that is read without its lock.
TEST(a_failure_after_an_interrupted_wait_is_read_under_its_lock) {
    const auto start = std::chrono::steady_clock::now();
    const auto asking = std::this_thread::get_id();
    std::atomic<bool> are_all_at_work{false};
    CHECK(is_ended(0, [&] {
        run_parallel(2, 2, [&](auto) {
            const auto outer = std::this_thread::get_id();
            if (outer == asking) {
                while (!are_all_at_work && !is_late(start)) std::this_thread::yield();
                while (!is_late(start)) check_interrupt();
                return;
            }
            run_parallel(2, 2, [&](auto) {
                if (std::this_thread::get_id() == outer) return;
                are_all_at_work = true;
                try {
                    while (!is_late(start)) check_interrupt();
                } catch (const Interrupted&) {
                    // The outer helper waits no longer than kAskedEvery until it asks.
                    std::this_thread::sleep_for(4 * Interrupt::kAskedEvery);
                    throw std::runtime_error("after the interrupt");
                }
            });
        });
    }));
    CHECK(are_all_at_work && !is_late(start));
}

TEST(interrupts_nest_and_end_with_their_scope) {
    CHECK(Interrupt::current() == nullptr);
    check_interrupt();
    {
        const Interrupt outer(nullptr);
        const Interrupt* const seen = Interrupt::current();
        {
            const Interrupt inner(stop_after_a_while);
            CHECK(Interrupt::current() == &inner);
        }
        CHECK(Interrupt::current() == seen && seen == &outer);
        check_interrupt();
    }
    CHECK(Interrupt::current() == nullptr);
}
