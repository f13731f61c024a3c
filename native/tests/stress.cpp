// Many threads that use the shared pools at once. Worth most under the thread sanitizer.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "additive/batch.h"
#include "additive/workspaces.h"
#include "buckets/batch.h"
#include "parallel/pool.h"
#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

namespace {

constexpr size_t kBits = 64;

TokenBatch some_tokens() {
    TokenBatch batch;
    for (size_t document = 0; document < 70; ++document) {
        for (size_t token = 0; token < 5; ++token) {
            const std::string name = std::to_string(document * token);
            std::memcpy(batch.extend(name.size()), name.data(), name.size());
            batch.keep(name.size());
            batch.end_token(1);
        }
        batch.end_document();
    }
    return batch;
}

std::vector<int64_t> sums_of(const TokenBatch& tokens, size_t threads) {
    std::vector<int64_t> sums(tokens.documents() * kBits, -1);
    const Randomizer randomizer{.kind = RandomizerKind::aes128, .bits = kBits};
    const VectorOutput output = {ValueType::int64, Norm::none,
                                 reinterpret_cast<uint8_t*>(sums.data()), kBits * 8, false};
    vectorize_tokens(active_kernels(), randomizer, {true, false, output}, tokens, threads);
    return sums;
}

size_t entries_of(const TokenBatch& tokens, size_t threads) {
    return count_tokens(active_kernels(), BucketRule(1000, true), tokens, threads).entries;
}

template <class Work> void on_threads(size_t count, Work&& work) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST(threads_that_share_the_pools_get_what_one_gets) {
    const TokenBatch tokens = some_tokens();
    const std::vector<int64_t> expected = sums_of(tokens, 1);
    const size_t entries = entries_of(tokens, 1);
    std::atomic<int> wrong{0};
    on_threads(6, [&] {
        for (size_t i = 0; i < 15; ++i) {
            if (sums_of(tokens, 1 + i % 3) != expected) ++wrong;
            if (entries_of(tokens, 1 + i % 3) != entries) ++wrong;
            if (i % 5 == 4) release_workspaces();
            if (i % 5 == 4) release_rows();
        }
    });
    CHECK(wrong == 0);
}

TEST(a_pool_keeps_no_more_than_its_limit) {
    auto& pool = *new Pool<std::array<char, 100>>(1000);  // a fork-safe lock is never destroyed
    on_threads(4, [&] {
        for (size_t i = 0; i < 500; ++i) {
            auto thing = pool.take([&](const auto& idle) { return idle[0] % 2 == 0; });
            if (!thing) thing = std::make_unique<std::array<char, 100>>();
            (*thing)[0] = static_cast<char>(i % 7);
            pool.give_back(std::move(thing), i % 50 == 0 ? 2000 : 100);
            if (i % 100 == 0) pool.release();
        }
    });
    CHECK(pool.kept() <= 1000);
    pool.release();
    CHECK(pool.kept() == 0);
}

// Not under the sanitizers, which have allocators of their own: a child may wait for a lock of
// theirs that a thread of its parent held.
#if !defined(ADDHASH_SANITIZE_ADDRESS) && !defined(ADDHASH_SANITIZE_THREAD)
TEST(children_forked_while_other_threads_work_do_not_hang) {
    const TokenBatch tokens = some_tokens();
    const std::vector<int64_t> expected = sums_of(tokens, 1);
    const size_t entries = entries_of(tokens, 1);
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            while (!is_over) {
                sums_of(tokens, 1);
                entries_of(tokens, 1);
                release_workspaces();
            }
        });
    }
    for (size_t i = 0; i < 100; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);  // a child that hangs is ended by the signal
            _exit(sums_of(tokens, 1) == expected && entries_of(tokens, 1) == entries ? 0 : 1);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    is_over = true;
    for (std::thread& thread : threads) thread.join();
}
#endif
