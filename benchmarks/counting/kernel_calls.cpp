// Calls one kernel of one instruction set a number of times: kernel_calls SET KERNEL TIMES. How
// many instructions a call takes is the difference between two numbers of calls. A signal that does
// nothing comes before the first call and after the last, for who counts between them.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "dispatch/kernels.h"
#include "rows/zeroed.h"
#include "simd/bytes.h"

using namespace addhash;

namespace {

constexpr size_t kTokens = 16, kTokenBytes = 6, kBits = 2048, kRowBytes = kBits / 8;
constexpr size_t kWidth = 1024;
constexpr unsigned kLevels = 8;

struct Inputs {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(kTokens * kTokenBytes + kSlack);
    std::vector<uint32_t> starts, ends, hashes = std::vector<uint32_t>(kTokens);
    std::vector<Slice> slices;
    std::vector<Seed> seeds = std::vector<Seed>(kTokens);
    ZeroedArray<uint8_t> row_bytes{kTokens * kRowBytes};
    std::vector<uint8_t*> rows;
    ZeroedArray<uint64_t> planes{kRowBytes / kColumnBytes * kPlanes * kColumnWords};
    std::vector<int16_t> sums = std::vector<int16_t>(kComponentSlack + kBits);
    std::vector<int8_t> codes = std::vector<int8_t>((kTileRows + kMaxGroup) * kWidth);
    ZeroedArray<uint8_t> tile{packed_bytes(kWidth, kTileRows)};
    ZeroedArray<uint8_t> queries{packed_bytes(kWidth, kMaxGroup)};
    ZeroedArray<uint8_t> query{packed_bytes(kWidth, 1)};
    std::vector<double> dots = std::vector<double>(kTileRows * kMaxGroup);

    explicit Inputs(const Kernels& kernels) {
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37);
        for (size_t i = 0; i < kTokens; ++i) {
            starts.push_back(static_cast<uint32_t>(i * kTokenBytes));
            ends.push_back(static_cast<uint32_t>((i + 1) * kTokenBytes));
            slices.push_back({bytes.data() + starts[i], kTokenBytes});
            rows.push_back(row_bytes.data() + i * kRowBytes);
            seeds[i] = {i * 0x9E3779B97F4A7C15u, ~i};
        }
        for (size_t i = 0; i < codes.size(); ++i)
            codes[i] = static_cast<int8_t>(i * 31 % 200 - 100);
        const int8_t* of[kMaxGroup];
        for (size_t q = 0; q < kMaxGroup; ++q) of[q] = codes.data() + q * kWidth;
        kernels.scan.pack_queries(of, kMaxGroup, kWidth, queries.data());
        kernels.scan.pack_queries(of, 1, kWidth, query.data());
    }
};

std::function<void()> call_of(const Kernels& kernels, Inputs& in, const char* kernel) {
    static constexpr uint64_t kSponge[kKeccakWords] = {};
    static const AesKey kKey = aes_key({1, 2});
    static constexpr RowKeys kRowKeys = {};
    const auto is = [&](const char* name) { return std::strcmp(kernel, name) == 0; };
    if (is("murmur3")) {
        return [&] {
            kernels.murmur3(in.bytes.data(), in.starts.data(), in.ends.data(), kTokens, 0,
                            in.hashes.data());
        };
    }
    if (is("shake256")) {
        return [&] {
            kernels.shake256(kSponge, in.slices.data(), in.rows.data(), kTokens, kRowBytes);
        };
    }
    if (is("aes_cmac")) {
        return [&] {
            kernels.aes_cmac(kKey, in.bytes.data(), in.starts.data(), in.ends.data(), kTokens,
                             in.seeds.data());
        };
    }
    if (is("add_seeds")) {
        return [&] {
            kernels.add_seeds(kRowKeys, in.planes.data(), kRowBytes / kColumnBytes, in.seeds.data(),
                              kTokens, kLevels);
        };
    }
    if (is("add_rows")) {
        return [&] {
            const size_t count = kTokens;
            kernels.add_rows(in.planes.data(), kRowBytes / kColumnBytes, in.rows.data(), &count, 1,
                             kLevels);
        };
    }
    if (is("unpack_planes")) {
        return [&] {
            kernels.unpack_planes(in.planes.data(), kBits, kLevels, kTokens,
                                  in.sums.data() + kComponentSlack);
        };
    }
    if (is("pack_rows")) {
        return [&] {
            const int8_t* of[kTileRows];
            for (size_t r = 0; r < kTileRows; ++r) of[r] = in.codes.data() + r * kWidth;
            kernels.scan.pack_rows(of, kWidth, in.tile.data());
        };
    }
    if (is("score_tile")) {
        return [&] {
            kernels.scan.score_tile(in.tile.data(), in.queries.data(), kMaxGroup, kWidth,
                                    in.dots.data());
        };
    }
    if (is("score_rows")) {
        return [&] {
            kernels.scan.score_rows(in.codes.data(), kTileRows, kWidth, in.query.data(),
                                    in.dots.data());
        };
    }
    return {};
}

}  // namespace

int main(int count, char** arguments) {
    const Kernels* kernels = count == 4 ? kernels_named(arguments[1]) : nullptr;
    if (kernels == nullptr) {
        std::fprintf(stderr,
                     "kernel_calls SET KERNEL TIMES: no such set, or not on this processor\n");
        return EXIT_FAILURE;
    }
    Inputs inputs(*kernels);
    const std::function<void()> call = call_of(*kernels, inputs, arguments[2]);
    if (!call) return EXIT_FAILURE;
    std::raise(SIGCONT);
    for (int i = std::atoi(arguments[3]); i > 0; --i) call();
    std::raise(SIGCONT);
    return EXIT_SUCCESS;
}
