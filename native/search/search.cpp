#include "search/search.h"

#include <limits>
#include <memory>

#include "parallel/parallel.h"
#include "rows/zeroed.h"
#include "search/top_k.h"

namespace addhash {
namespace {

// Enough queries to make up for the packing of a tile, few enough to stay in the cache.
constexpr size_t kBlockGroups = 20;
constexpr size_t kUnitsPerThread = 8;
// Queries that take less time than it takes to read the rows.
constexpr size_t kCheapQueries = 3;
// Fewer products than this take a thread less time than starting it.
constexpr size_t kLeastProducts = size_t{4} << 20;
constexpr size_t kCheckedProducts = size_t{64} << 20;  // a few milliseconds
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

// More than the float64 score may be off the true cosine: each partial sum of the dot product and
// of the two norms has width / 16 roundings.
double score_rounding(size_t width) {
    return (static_cast<double>(width) / 8 + 64) * std::numeric_limits<double>::epsilon();
}

class Searcher {
public:
    Searcher(const Kernels& kernels, const SearchableRows& rows, const SearchableRows& queries,
             const SearchRules& rules, size_t k)
        : scan_(kernels.scan),
          rows_(rows),
          queries_(queries),
          rules_(rules),
          k_(k),
          width_(rows.rows().width),
          is_packed_(queries.rows().count > scan_.few_queries) {}

    void run(size_t threads, int64_t* best_rows, double* scores) {
        const size_t count = queries_.rows().count;
        const size_t block = kBlockGroups * kMaxGroup;
        const size_t blocks = divide_up(count, block);
        const size_t tiles = divide_up(rows_.rows().count, kTileRows);
        const size_t spans = span_count(threads, blocks, tiles);
        std::vector<std::vector<Match>> found(spans * count);
        run_parallel(threads, blocks * spans, [&](const auto& next) {
            Workspace space(width_, std::min(count, block), is_packed_);
            for (size_t unit = next(); unit < blocks * spans; unit = next()) {
                const size_t first = unit / spans * block;
                const size_t span = unit % spans;
                scan_unit(space, first, std::min(count, first + block), tiles * span / spans,
                          tiles * (span + 1) / spans, found.data() + span * count);
            }
        });
        for (size_t q = 0; q < count; ++q) {
            std::vector<Match>& all = found[q];
            for (size_t span = 1; span < spans; ++span) {
                const std::vector<Match>& more = found[span * count + q];
                all.insert(all.end(), more.begin(), more.end());
            }
            std::sort(all.begin(), all.end(), BetterMatch{rules_.ranks});
            for (size_t i = 0; i < k_; ++i) {
                const bool is_there = i < all.size();
                best_rows[q * k_ + i] = is_there ? static_cast<int64_t>(all[i].row) : -1;
                scores[q * k_ + i] = is_there ? all[i].score : kNaN;
            }
        }
    }

private:
    // What one thread needs. Queries are packed each by itself, or in groups, one after another.
    struct Workspace {
        Workspace(size_t width, size_t queries, bool is_packed)
            : tile(is_packed ? packed_bytes(width, kTileRows) : 0),
              step(is_packed ? kMaxGroup : 1),
              packed_step(divide_up(packed_bytes(width, step), 64) * 64),
              queries(packed_step * divide_up(queries, step)),
              dots(step * kTileRows),
              values(width) {}
        uint8_t* packed(size_t query) { return queries.data() + query / step * packed_step; }

        ZeroedArray<uint8_t> tile;
        size_t step;  // queries packed together
        size_t packed_step;
        ZeroedArray<uint8_t> queries;
        ZeroedArray<double> dots;
        std::vector<double> values;
        size_t unchecked = 0;  // products since the last check for an interrupt
    };

    // How many parts to cut the rows into, so that all threads have work worth their while.
    size_t span_count(size_t threads, size_t blocks, size_t tiles) const {
        const size_t wanted = divide_up(kUnitsPerThread * threads, blocks);
        const size_t queries = std::min(queries_.rows().count, kBlockGroups * kMaxGroup);
        const size_t products = tiles * kTileRows * width_ * divide_up(queries, kCheapQueries);
        const size_t worth = products / kLeastProducts;
        if (threads == 1 || worth <= 1) return 1;
        return std::min({wanted, worth, tiles});
    }

    // Queries from `first` to `last` with the tiles from `tile` to `end`.
    void scan_unit(Workspace& space, size_t first, size_t last, size_t tile, size_t end,
                   std::vector<Match>* found) {
        const EncodedVectors& queries = queries_.rows();
        for (size_t q = first; q < last; q += space.step) {
            const int8_t* codes[kMaxGroup] = {};
            const size_t taken = std::min(last - q, space.step);
            for (size_t i = 0; i < taken; ++i) codes[i] = code_of(queries, q + i);
            scan_.pack_queries(codes, group_size(taken), width_, space.packed(q - first));
        }
        std::vector<TopK> best(last - first, TopK(k_, rules_.ranks));
        for (; tile < end; ++tile) {
            check_now_and_then(space, (last - first) * kTileRows * width_, kCheckedProducts);
            if (is_packed_) pack_tile(space, tile);
            for (size_t q = first; q < last; q += space.step) {
                const size_t taken = std::min(last - q, space.step);
                score_tile(space, tile, space.packed(q - first), taken);
                for (size_t i = 0; i < taken; ++i) {
                    select(space, q + i, tile, space.dots.data() + i * kTileRows,
                           best[q + i - first]);
                }
            }
        }
        for (size_t q = first; q < last; ++q) {
            resolve(space, q, best[q - first]);
            found[q] = best[q - first].best();
        }
    }

    void score_tile(Workspace& space, size_t tile, const uint8_t* packed, size_t taken) const {
        if (is_packed_) {
            scan_.score_tile(space.tile.data(), packed, group_size(taken), width_,
                             space.dots.data());
            return;
        }
        // The dots of rows past the last one stay zero.
        const size_t row = tile * kTileRows;
        scan_.score_rows(code_of(rows_.rows(), row), std::min(kTileRows, rows_.rows().count - row),
                         width_, packed, space.dots.data());
    }

    static void check_now_and_then(Workspace& space, size_t done, size_t most) {
        space.unchecked += done;
        if (space.unchecked < most) return;
        space.unchecked = 0;
        check_interrupt();
    }

    void pack_tile(Workspace& space, size_t tile) {
        const EncodedVectors& rows = rows_.rows();
        const int8_t* codes[kTileRows];
        for (size_t r = 0; r < kTileRows; ++r) {
            codes[r] = code_of(rows, std::min(tile * kTileRows + r, rows.count - 1));
        }
        scan_.pack_rows(codes, width_, space.tile.data());
    }

    // Offers the rows of a tile whose upper bounds reach the threshold. For unit vectors v = v' + r
    // and w = w' + s, |<v, w> - <v', w'>| <= |r| + |s| + |r| |s|, by the Cauchy-Schwarz inequality.
    void select(Workspace& space, size_t query, size_t tile, const double* dots, TopK& best) {
        const double factor = queries_.factors()[query];
        const double slack = queries_.rows().slacks[query];
        const double stretch = 1 + slack;
        const double* factors = rows_.factors() + tile * kTileRows;
        const double* slacks = rows_.slacks() + tile * kTileRows;
        if (!scan_.any_reaches(dots, factors, slacks, factor, stretch, best.threshold() - slack)) {
            return;
        }
        for (size_t r = 0; r < kTileRows; ++r) {
            const double approximate = dots[r] * factors[r] * factor;
            const double upper = approximate + slacks[r] * stretch;
            if (!(upper >= best.threshold() - slack) || is_excluded(query, tile * kTileRows + r)) {
                continue;
            }
            const double error = slacks[r] * stretch + slack;
            if (best.offer({approximate, error, dots[r], tile * kTileRows + r})) {
                resolve(space, query, best);
            }
        }
    }

    bool is_excluded(size_t query, size_t row) const {
        return rules_.groups != nullptr && rules_.groups[row] == rules_.excluded[query];
    }

    void resolve(Workspace& space, size_t query, TopK& best) {
        const EncodedVectors& rows = rows_.rows();
        const EncodedVectors& queries = queries_.rows();
        const bool query_is_lossless = is_lossless(queries, query);
        bool is_decoded = false;
        best.resolve([&](const Candidate& candidate) {
            check_now_and_then(space, width_, kCheckedProducts);
            const double norms = queries.norms[query] * rows.norms[candidate.row];
            if (norms == 0) return 0.0;
            if (query_is_lossless && is_lossless(rows, candidate.row)) return candidate.dot / norms;
            if (!is_decoded) decode_row(queries, query, space.values.data());
            is_decoded = true;
            return scan_.exact_dot(rows, candidate.row, space.values.data()) / norms;
        });
    }

    const Scan& scan_;
    const SearchableRows& rows_;
    const SearchableRows& queries_;
    SearchRules rules_;
    size_t k_;
    size_t width_;
    bool is_packed_;
};

}  // namespace

SearchableRows::SearchableRows(const EncodedVectors& rows) : rows_(rows) {
    const size_t padded = divide_up(rows.count, kTileRows) * kTileRows;
    factors_.resize(padded, 0);
    slacks_.resize(padded, -std::numeric_limits<double>::infinity());
    const double rounding = score_rounding(rows.width);
    for (size_t i = 0; i < rows.count; ++i) {
        factors_[i] = rows.norms[i] > 0 ? rows.scales[i] / rows.norms[i] : 0;
        slacks_[i] = rows.slacks[i] + rounding;
    }
}

void search(const Kernels& kernels, const SearchableRows& rows, const SearchableRows& queries,
            const SearchRules& rules, size_t k, size_t threads, int64_t* best_rows,
            double* scores) {
    Searcher(kernels, rows, queries, rules, k).run(threads, best_rows, scores);
}

}  // namespace addhash
