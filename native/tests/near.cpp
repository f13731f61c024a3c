#include "near/near.h"

#include <bit>

#include "tests/check.h"
#include "tests/support.h"

using namespace addhash;
using namespace addhash::test;

TEST(near_signatures_are_selected) {
    Random random(81);
    for (size_t words : {1, 2, 4, 8}) {
        for (size_t count : kEdgeCounts) {
            std::vector<std::vector<uint64_t>> held(words, std::vector<uint64_t>(count));
            std::vector<const uint64_t*> columns;
            std::vector<uint64_t> signature(words);
            for (uint64_t& word : signature) word = random();
            for (size_t w = 0; w < words; ++w) {
                for (uint64_t& word : held[w]) {
                    // All bits, none, or some differ.
                    const uint64_t kind = random() % 4;
                    word = signature[w] ^ (kind == 0   ? 0
                                           : kind == 1 ? ~uint64_t{0}
                                                       : random() & random());
                }
                columns.push_back(held[w].data());
            }
            std::vector<uint16_t> most(count);
            for (uint16_t& bound : most) bound = static_cast<uint16_t>(random() % (64 * words + 2));
            if (count > 0) most[0] = UINT16_MAX;
            const size_t first = count > 3 ? 3 : 0;
            const auto more = static_cast<uint16_t>(count % 3 == 0 ? random() % 70 : 0);
            std::vector<uint32_t> expected;
            for (size_t i = first; i < count; ++i) {
                int bits = 0;
                for (size_t w = 0; w < words; ++w) bits += std::popcount(held[w][i] ^ signature[w]);
                if (bits <= most[i] + more) expected.push_back(static_cast<uint32_t>(i));
            }
            for_each_set([&](const Kernels& kernels) {
                std::vector<uint32_t> near(count + 16);
                const size_t found =
                    kernels.select_near(columns.data(), words, signature.data(), most.data(), more,
                                        first, count, near.data());
                near.resize(found);
                CHECK(near == expected);
            });
        }
    }
}

TEST(fields_that_cost_little_are_selected) {
    Random random(82);
    for (size_t field_count : {1, 2, 5}) {
        for (size_t count : kEdgeCounts) {
            const size_t stride = count + FieldBits::kSlack;
            std::vector<uint8_t> bytes(field_count * FieldBits::kBytes * stride);
            for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() & random());
            std::vector<std::array<uint8_t, FieldBits::kCosts>> costs(field_count);
            std::vector<FieldBits> fields(field_count);
            for (size_t f = 0; f < field_count; ++f) {
                for (size_t i = 0; i < FieldBits::kCosts; ++i) {
                    costs[f][i] = static_cast<uint8_t>(std::min<size_t>(255, i * (random() % 30)));
                }
                fields[f] = {bytes.data() + f * FieldBits::kBytes * stride, {}, costs[f].data()};
                for (uint8_t& byte : fields[f].signature) byte = static_cast<uint8_t>(random());
                // One item equals the signature, and one differs from it in all bits.
                for (size_t k = 0; k < FieldBits::kBytes && count > 1; ++k) {
                    uint8_t* column = bytes.data() + (f * FieldBits::kBytes + k) * stride;
                    column[count - 1] = fields[f].signature[k];
                    column[count / 2] = static_cast<uint8_t>(~fields[f].signature[k]);
                }
            }
            const size_t first = count > 3 ? 3 : 0;
            for (uint8_t most : {0, 40, 254, 255}) {
                std::vector<uint32_t> expected;
                for (size_t i = first; i < count; ++i) {
                    size_t cost = 0;
                    for (const FieldBits& field : fields) {
                        size_t bits = 0;
                        for (size_t k = 0; k < FieldBits::kBytes; ++k) {
                            const int other = field.bytes[k * stride + i] ^ field.signature[k];
                            bits += std::popcount(static_cast<unsigned>(other));
                        }
                        cost += field.costs[std::min<size_t>(bits / 2, 15)];
                    }
                    if (cost <= std::min<size_t>(most, 254)) {
                        expected.push_back(static_cast<uint32_t>(i));
                    }
                }
                for_each_set([&](const Kernels& kernels) {
                    std::vector<uint32_t> near(count);
                    near.resize(kernels.select_cheap(fields.data(), field_count, stride, most,
                                                     first, count, near.data()));
                    CHECK(near == expected);
                });
            }
        }
    }
}
