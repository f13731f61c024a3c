// How long each stage takes from texts to vectors: stages TEXTS CLASS. A first pass goes through all texts,
// one after the other, as the library does. A second one does every stage of some of the texts again
// and again: what is left then is arithmetic, with nothing to wait for and every branch known.
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "additive/document_sum.h"
#include "analysis/analysis.h"
#include "buckets/buckets.h"
#include "rows/rows.h"
#include "simd/bytes.h"

using namespace addhash;

namespace {

constexpr size_t kBits = 2048;
constexpr size_t kCodePoints = 0x110000;
std::vector<uint8_t> facts(kCodePoints);

bool is_space(uint32_t c) { return facts[c] & 1; }
bool is_word(uint32_t c) { return facts[c] & 2; }

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <class T> void read(std::FILE* file, T* out, size_t count) {
    if (std::fread(out, sizeof(T), count, file) != count) std::exit(EXIT_FAILURE);
}

struct Texts {
    std::vector<std::vector<uint8_t>> data;
    std::vector<Text> views;
    CharacterTable table;

    static CharacterTable read_table(std::FILE* file) {
        std::vector<uint32_t> lower(kCodePoints);
        read(file, facts.data(), kCodePoints);
        read(file, lower.data(), kCodePoints);
        return CharacterTable({is_space, is_word, std::move(lower)});
    }

    explicit Texts(std::FILE* file) : table(read_table(file)) {
        uint32_t unit_and_length[2];
        while (std::fread(unit_and_length, sizeof(uint32_t), 2, file) == 2) {
            const auto [unit, length] = unit_and_length;
            data.emplace_back(size_t{unit} * length);
            read(file, data.back().data(), data.back().size());
            views.push_back({data.back().data(), length, unit, &table});
        }
    }
};

// The tokens of one text.
struct Tokens final : TokenSink {
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> starts, ends;

    void consume(const uint8_t* given, const uint32_t* from, const uint32_t* to,
                 size_t count) override {
        const auto before = static_cast<uint32_t>(bytes.size());
        const size_t old = starts.size();
        bytes.insert(bytes.end(), given, given + to[count - 1] + kSlack);
        starts.insert(starts.end(), from, from + count);
        ends.insert(ends.end(), to, to + count);
        if (before == 0) return;
        for (size_t i = old; i < starts.size(); ++i) {
            starts[i] += before;
            ends[i] += before;
        }
    }
};

struct Stage {
    const char* name;
    std::function<void(size_t text)> work;
    double whole = 0, again = 0;
};

struct Work {
    const Kernels& kernels = active_kernels();
    const Texts& texts;
    Analysis analysis{Analyzer::characters, {3, 3}};
    Tokens tokens;
    std::vector<Stage> stages;

    explicit Work(const Texts& given) : texts(given) {
        stages.push_back({"cut", [this](size_t text) {
                              tokens.bytes.clear();
                              tokens.starts.clear();
                              tokens.ends.clear();
                              analysis.run(texts.views[text], tokens);
                          }});
    }
    size_t count() const { return tokens.starts.size(); }
};

// Counts in buckets.
struct Buckets : Work {
    BucketRule rule{1u << 20, true};
    std::vector<uint32_t> hashes, keys, unsorted, scratch, buckets;
    std::vector<double> sums;
    const uint32_t* sorted = nullptr;
    size_t entries = 0;
    GrowingArray<int32_t> all_buckets;
    GrowingArray<double> all_values;

    explicit Buckets(const Texts& given) : Work(given) {
        stages.push_back({"hash", [this](size_t) {
                              hashes.resize(count());
                              unsorted.resize(count());
                              kernels.murmur3(tokens.bytes.data(), tokens.starts.data(),
                                              tokens.ends.data(), count(), 0, hashes.data());
                              for (size_t i = 0; i < count(); ++i)
                                  unsorted[i] = rule.key(hashes[i]);
                          }});
        stages.push_back({"sort", [this](size_t) {
                              keys.resize(count() + kKeySlack);
                              scratch.resize(count() + kKeySlack);
                              std::memcpy(keys.data(), unsorted.data(), 4 * count());
                              sorted = kernels.sort_keys(keys.data(), scratch.data(), count(), 20);
                          }});
        stages.push_back({"sum", [this](size_t) {
                              buckets.resize(count() + kKeySlack);
                              sums.resize(count() + kKeySlack);
                              entries = kernels.sum_keys(sorted, count(), buckets.data(),
                                                         sums.data());
                          }});
        stages.push_back({"normalise and write", [this](size_t text) {
                              if (text == 0) {
                                  all_buckets.clear();
                                  all_values.clear();
                              }
                              int32_t* to = all_buckets.room(entries);
                              double* values = all_values.room(entries);
                              double squares = 0;
                              for (size_t i = 0; i < entries; ++i) squares += sums[i] * sums[i];
                              const double norm = std::sqrt(squares);
                              for (size_t i = 0; i < entries; ++i) {
                                  to[i] = static_cast<int32_t>(buckets[i]);
                                  values[i] = sums[i] / norm;
                              }
                              all_buckets.grow(entries);
                              all_values.grow(entries);
                          }});
    }
};

// Dense vectors: what follows after the rows were added.
struct Additive : Work {
    std::vector<uint64_t> planes = std::vector<uint64_t>(kBits / 512 * kPlanes * kColumnWords);
    std::vector<int16_t> sums = std::vector<int16_t>(kComponentSlack + kBits);
    double factor = 1;
    float* output;

    unsigned levels() const { return static_cast<unsigned>(std::bit_width(count() | 1)); }
    int16_t* components() { return sums.data() + kComponentSlack; }

    explicit Additive(const Texts& given) : Work(given) {
        output = static_cast<float*>(
            std::aligned_alloc(64, texts.views.size() * kBits * sizeof(float)));
        std::memset(output, 0, texts.views.size() * kBits * sizeof(float));
    }
    void finish_stages() {
        stages.push_back({"unpack", [this](size_t) {
                              kernels.unpack_planes(planes.data(), kBits, levels(),
                                                    static_cast<int16_t>(count()), components());
                          }});
        stages.push_back({"norm", [this](size_t) {
                              const auto most = static_cast<int16_t>(count());
                              const uint64_t squares =
                                  kernels.sum_squares(components(), kBits, most);
                              factor = squares > 0 ? 1 / std::sqrt(double(squares)) : 1;
                          }});
        stages.push_back({"write", [this](size_t text) {
                              kernels.scale_to_float(components(), kBits,
                                                     static_cast<int16_t>(count()), factor, true,
                                                     output + text * kBits);
                          }});
    }
};

struct Shake : Additive {
    Randomizer randomizer{RandomizerKind::shake256, kBits};
    RowSource source{randomizer};
    std::vector<const uint8_t*> rows;

    explicit Shake(const Texts& given) : Additive(given) {
        stages.push_back({"look up", [this](size_t) {
                              rows.resize(count());
                              for (size_t i = 0; i < count(); i += source.capacity()) {
                                  source.request(kernels, tokens.bytes.data(),
                                                 tokens.starts.data() + i, tokens.ends.data() + i,
                                                 std::min(source.capacity(), count() - i),
                                                 rows.data() + i);
                                  source.resolve(kernels);
                              }
                          }});
        stages.push_back({"add", [this](size_t) {
                              const size_t rows_of_text = count();
                              kernels.add_rows(planes.data(), kBits / 512, rows.data(),
                                               &rows_of_text, 1, levels());
                          }});
        finish_stages();
    }
};

struct Aes : Additive {
    AesKey key = aes_key({1, 2});
    RowKeys row_keys{};
    std::vector<Seed> seeds;

    explicit Aes(const Texts& given) : Additive(given) {
        stages.push_back({"hash", [this](size_t) {
                              seeds.resize(count());
                              kernels.aes_cmac(key, tokens.bytes.data(), tokens.starts.data(),
                                               tokens.ends.data(), count(), seeds.data());
                          }});
        stages.push_back({"make rows and add", [this](size_t) {
                              kernels.add_seeds(row_keys, planes.data(), kBits / 512, seeds.data(),
                                                count(), levels());
                          }});
        finish_stages();
    }
};

// The least time of reading the clock twice.
double clock_time() {
    double least = 1;
    for (int i = 0; i < 10000; ++i) {
        const double start = now();
        least = std::min(least, now() - start);
    }
    return least;
}

// Sets the least times of the stages, in seconds for all texts, of some passes.
void measure(Work& work) {
    constexpr int kPasses = 7, kTimes = 20;
    constexpr size_t kEvery = 16;
    const double clock = clock_time();
    for (int pass = 0; pass < kPasses; ++pass) {
        std::vector<double> times(work.stages.size());
        for (size_t text = 0; text < work.texts.views.size(); ++text) {
            for (size_t i = 0; i < times.size(); ++i) {
                const double start = now();
                work.stages[i].work(text);
                times[i] += now() - start - clock;
            }
        }
        if (pass == 0) continue;  // to warm up
        for (size_t i = 0; i < times.size(); ++i) {
            double& least = work.stages[i].whole;
            least = pass == 1 ? times[i] : std::min(least, times[i]);
        }
    }
    size_t tokens = 0, sampled_tokens = 0;
    for (size_t text = 0; text < work.texts.views.size(); ++text) {
        work.stages[0].work(text);
        tokens += work.count();
        if (text % kEvery != 0) continue;
        sampled_tokens += work.count();
        for (Stage& stage : work.stages) {
            double least = 1;
            for (int i = 0; i < kTimes; ++i) {
                const double start = now();
                stage.work(text);
                least = std::min(least, now() - start - clock);
            }
            stage.again += least;
        }
    }
    const auto scale = static_cast<double>(tokens) / static_cast<double>(sampled_tokens);
    for (Stage& stage : work.stages) {
        std::printf("%s\t%.9f\t%.9f\n", stage.name, stage.whole, stage.again * scale);
    }
    std::printf("tokens\t%zu\t%zu\n", tokens, work.texts.views.size());
}

}  // namespace

int main(int count, char** arguments) {
    std::FILE* const file = count == 3 ? std::fopen(arguments[1], "rb") : nullptr;
    if (file == nullptr) {
        std::fprintf(stderr, "stages TEXTS buckets|shake256|aes128: cannot read the texts\n");
        return EXIT_FAILURE;
    }
    const Texts texts(file);
    const std::string kind = arguments[2];
    if (kind == "buckets") {
        Buckets work(texts);
        measure(work);
    } else if (kind == "shake256") {
        Shake work(texts);
        measure(work);
    } else if (kind == "aes128") {
        Aes work(texts);
        measure(work);
    } else {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
