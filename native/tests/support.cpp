#include "tests/support.h"

namespace addhash::test {
namespace {

uint32_t rotate_left(uint32_t x, int n) { return x << n | x >> (32 - n); }
uint64_t rotate_left(uint64_t x, unsigned n) { return n == 0 ? x : x << n | x >> (64 - n); }

// One bit of the shift register of FIPS 202, algorithm 5.
bool next_round_bit(unsigned& shift_register) {
    const bool bit = shift_register & 1;
    shift_register <<= 1;
    if (shift_register & 0x100) shift_register ^= 0x171;
    return bit;
}

// Keccak-f[1600] step by step, as FIPS 202 defines it: no table, nothing unrolled.
void slow_keccak(uint64_t (&a)[5][5]) {  // a[x][y]
    unsigned shift_register = 1;
    for (int round = 0; round < 24; ++round) {
        uint64_t parity[5];
        for (int x = 0; x < 5; ++x) {
            parity[x] = a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4];
        }
        for (int x = 0; x < 5; ++x) {
            for (int y = 0; y < 5; ++y) {
                a[x][y] ^= parity[(x + 4) % 5] ^ rotate_left(parity[(x + 1) % 5], 1u);
            }
        }
        uint64_t moved[5][5];
        moved[0][0] = a[0][0];
        int x = 1, y = 0;
        for (unsigned t = 0; t < 24; ++t) {
            const uint64_t turned = rotate_left(a[x][y], (t + 1) * (t + 2) / 2 % 64);
            const int new_y = (2 * x + 3 * y) % 5;
            x = y;
            y = new_y;
            moved[x][y] = turned;
        }
        for (x = 0; x < 5; ++x) {
            for (y = 0; y < 5; ++y) {
                a[x][y] = moved[x][y] ^ (~moved[(x + 1) % 5][y] & moved[(x + 2) % 5][y]);
            }
        }
        for (int j = 0; j <= 6; ++j) {
            if (next_round_bit(shift_register)) a[0][0] ^= uint64_t{1} << ((1 << j) - 1);
        }
    }
}

// In AES's field of 2^8 elements.
unsigned slow_product(unsigned a, unsigned b) {
    unsigned product = 0;
    for (; a != 0; a >>= 1) {
        if (a & 1) product ^= b;
        b <<= 1;
        if (b & 0x100) b ^= 0x11B;
    }
    return product;
}

uint8_t slow_substitute(uint8_t byte) {
    static const std::vector<uint8_t> table = [] {
        std::vector<uint8_t> made(256);
        for (unsigned x = 0; x < 256; ++x) {
            unsigned inverse = 0;
            while (x != 0 && slow_product(x, inverse) != 1) ++inverse;
            unsigned bits = 0x63;
            for (unsigned i = 0; i < 8; ++i) {
                for (unsigned j : {0, 4, 5, 6, 7}) bits ^= (inverse >> (i + j) % 8 & 1) << i;
            }
            made[x] = static_cast<uint8_t>(bits);
        }
        return made;
    }();
    return table[byte];
}

uint8_t byte_at(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

}  // namespace

std::vector<size_t> edge_token_lengths() {
    std::vector<size_t> lengths;
    for (size_t length = 0; length <= 40; ++length) lengths.push_back(length);
    for (size_t length : {135, 136, 137, 271, 272, 273, 5000}) lengths.push_back(length);
    return lengths;
}

Bytes random_bytes(Random& random, size_t count) {
    Bytes bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> 56);
    return bytes;
}

std::string random_string(Random& random, size_t length) {
    const Bytes bytes = random_bytes(random, length);
    return {bytes.begin(), bytes.end()};
}

std::vector<std::string> some_texts(size_t count) {
    const std::vector<std::string> pieces{"",
                                          "a",
                                          "hello ",
                                          "\xC3\xA9",
                                          "\xE6\x97\xA5\xE6\x9C\xAC",
                                          "\xF0\x9F\x98\x80",
                                          "\n",
                                          "ASCII",
                                          "\xCE\xA3",
                                          "a longer piece of text "};
    std::mt19937 random(7);
    std::vector<std::string> texts(count);
    for (std::string& text : texts) {
        for (size_t i = random() % 5; i-- > 0;) text += pieces[random() % pieces.size()];
    }
    return texts;
}

int64_t slow_character(const std::string& text, size_t& at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
    const uint8_t lead = byte(at);
    const size_t size = lead < 0x80       ? 1
                        : lead >> 5 == 6  ? 2
                        : lead >> 4 == 14 ? 3
                        : lead >> 3 == 30 ? 4
                                          : 0;
    if (size == 0) return -1;
    int64_t c = size == 1 ? lead : lead & (0xFF >> (size + 1));
    for (size_t i = 1; i < size; ++i) {
        if (byte(at + i) >> 6 != 2) return -1;
        c = c << 6 | (byte(at + i) & 0x3F);
    }
    const int64_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return -1;
    at += size;
    return c;
}

Bytes from_hex(std::string_view hex) {
    Bytes bytes;
    for (size_t i = 0; i + 2 <= hex.size(); i += 2) {
        bytes.push_back(
            static_cast<uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    }
    return bytes;
}

Tokens::Tokens(const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) append(token);
    bytes_.shrink_to_fit();
}

void Tokens::add(std::string_view token) {
    append(token);
    bytes_.shrink_to_fit();
}

void Tokens::append(std::string_view token) {
    const size_t start = bytes_.size() - kSlack;
    bytes_.resize(bytes_.size() + token.size());
    if (!token.empty()) std::memcpy(bytes_.data() + start, token.data(), token.size());
    // What lies past the last token must not matter.
    std::memset(bytes_.data() + start + token.size(), 0xA5, kSlack);
    starts_.push_back(static_cast<uint32_t>(start));
    ends_.push_back(static_cast<uint32_t>(start + token.size()));
}

std::string_view Tokens::operator[](size_t i) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + starts_[i], ends_[i] - starts_[i]};
}

std::vector<Slice> Tokens::slices() const {
    std::vector<Slice> slices;
    for (size_t i = 0; i < count(); ++i) {
        slices.push_back({bytes_.data() + starts_[i], ends_[i] - starts_[i]});
    }
    return slices;
}

Rows::Rows(size_t count, size_t bytes)
    : rows_(count, Bytes((bytes + kColumnBytes - 1) / kColumnBytes * kColumnBytes, 0x5A)) {
    for (Bytes& row : rows_) places_.push_back(row.data());
}

bool is_row(const Bytes& row, const Bytes& expected, size_t bytes) {
    for (size_t i = 0; i < row.size(); ++i) {
        if (row[i] != (i < bytes ? expected[i] : 0)) return false;
    }
    return row.size() >= bytes;
}

uint32_t slow_murmur3(std::string_view token, uint32_t seed) {
    const auto scramble = [](uint32_t k) { return rotate_left(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
    uint32_t h = seed;
    uint32_t k = 0;
    for (size_t i = 0; i < token.size(); ++i) {
        k |= uint32_t{byte_at(token, i)} << 8 * (i % 4);
        if (i % 4 == 3) {
            h = rotate_left(h ^ scramble(k), 13) * 5 + 0xE6546B64u;
            k = 0;
        }
    }
    h ^= scramble(k);
    h ^= static_cast<uint32_t>(token.size());
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

Bytes slow_shake256(std::string_view token, size_t digest_bytes) {
    std::string padded(token);
    padded.push_back(0x1F);
    while (padded.size() % kShakeRate != 0) padded.push_back(0);
    padded.back() = static_cast<char>(padded.back() | 0x80);
    uint64_t a[5][5] = {};
    const auto word = [&](size_t i) -> uint64_t& { return a[i / 8 % 5][i / 8 / 5]; };
    for (size_t first = 0; first < padded.size(); first += kShakeRate) {
        for (size_t i = 0; i < kShakeRate; ++i) {
            word(i) ^= uint64_t{byte_at(padded, first + i)} << 8 * (i % 8);
        }
        slow_keccak(a);
    }
    Bytes digest(digest_bytes);
    for (size_t i = 0; i < digest_bytes; ++i) {
        if (i > 0 && i % kShakeRate == 0) slow_keccak(a);
        const size_t place = i % kShakeRate;
        digest[i] = static_cast<uint8_t>(word(place) >> 8 * (place % 8));
    }
    return digest;
}

// The state as bytes, column by column: byte 4 * c + r is that of row r.
Bytes slow_aes_round(const Bytes& state, const uint8_t* key, bool is_last) {
    Bytes shifted(kAesBlock), out(kAesBlock);
    for (size_t i = 0; i < kAesBlock; ++i) {
        shifted[i] = slow_substitute(state[(i + 4 * (i % 4)) % kAesBlock]);
    }
    for (size_t i = 0; i < kAesBlock; ++i) {
        const auto in_column = [&](size_t down) { return shifted[i / 4 * 4 + (i + down) % 4]; };
        const unsigned mixed = slow_product(2, in_column(0)) ^ slow_product(3, in_column(1)) ^
                               in_column(2) ^ in_column(3);
        out[i] = static_cast<uint8_t>((is_last ? shifted[i] : mixed) ^ key[i]);
    }
    return out;
}

Bytes slow_aes(const AesKey& key, Bytes block) {
    for (size_t i = 0; i < kAesBlock; ++i) block[i] ^= key.rounds[0][i];
    for (size_t round = 1; round <= kAesRounds; ++round) {
        block = slow_aes_round(block, key.rounds[round], round == kAesRounds);
    }
    return block;
}

Seed slow_aes_cmac(const AesKey& key, std::string_view token) {
    const size_t blocks = token.empty() ? 1 : (token.size() + kAesBlock - 1) / kAesBlock;
    const bool is_whole = token.size() == blocks * kAesBlock;
    const uint8_t* const last = is_whole ? key.whole : key.padded;
    std::string padded(token);
    if (!is_whole) padded.push_back(static_cast<char>(0x80));
    padded.resize(blocks * kAesBlock);
    Bytes state(kAesBlock);
    for (size_t at = 0; at < padded.size(); ++at) {
        state[at % kAesBlock] ^= byte_at(padded, at);
        if (at + kAesBlock >= padded.size()) {
            state[at % kAesBlock] ^= last[at % kAesBlock];
        }
        if (at % kAesBlock == kAesBlock - 1) state = slow_aes(key, state);
    }
    return {load64(state.data()), load64(state.data() + 8)};
}

RowKeys row_keys(uint8_t first) {
    RowKeys keys;
    for (size_t i = 0; i < sizeof keys; ++i) {
        keys.rounds[i / kAesBlock][i % kAesBlock] = static_cast<uint8_t>(first + 37 * i);
    }
    return keys;
}

Bytes slow_expand(const RowKeys& keys, Seed seed, size_t bytes) {
    Bytes row;
    for (uint64_t i = 1; row.size() < bytes; ++i) {
        Bytes block(kAesBlock);
        store64(block.data(), seed.low + i * 0xC13FA9A902A6328F);
        store64(block.data() + 8, seed.high + i * 0x91E10DA5C79E7B1D);
        for (const auto& key : keys.rounds) block = slow_aes_round(block, key, false);
        row.insert(row.end(), block.begin(), block.end());
    }
    row.resize(bytes);
    return row;
}

Bytes slow_row(const Randomizer& randomizer, std::string_view key_block, std::string_view token) {
    if (randomizer.kind == RandomizerKind::aes128) {
        return slow_expand(randomizer.row_keys, slow_aes_cmac(randomizer.key, token),
                           randomizer.bytes());
    }
    return slow_shake256(std::string(key_block) + std::string(token), randomizer.bytes());
}

bool component_bit(const uint8_t* row, size_t bits, size_t component) {
    const size_t bit = bits - 1 - component;
    return row[bit / 8] >> bit % 8 & 1;
}

}  // namespace addhash::test
