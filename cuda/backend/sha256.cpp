#include "sha256.hpp"

#include <bit>
#include <cstring>

namespace roundhouse {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t bigEndian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void fillSchedule(const std::uint8_t* block, std::array<std::uint32_t, 64>& words) {
  for (int t = 0; t < 16; ++t) words[t] = bigEndian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t a = words[t - 15], b = words[t - 2];
    const std::uint32_t small = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const std::uint32_t large = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[t] = words[t - 16] + small + words[t - 7] + large;
  }
}

void compress(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> words;
  fillSchedule(block, words);
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t mixed = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + mixed + ((e & f) ^ (~e & g)) + kRound[t] + words[t];
    const std::uint32_t turned = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = turned + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (int word = 0; word < 8; ++word) state[word] += mixed[word];
}

}  // namespace

Sha256 sha256(std::span<const std::uint8_t> bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = bytes.size() / 64;
  for (std::size_t block = 0; block < whole; ++block) compress(state, bytes.data() + 64 * block);
  std::array<std::uint8_t, 128> tail{};
  const std::size_t rest = bytes.size() % 64;
  if (rest > 0) std::memcpy(tail.data(), bytes.data() + 64 * whole, rest);
  tail[rest] = 0x80;
  const std::size_t end = rest < 56 ? 64 : 128;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int byte = 0; byte < 8; ++byte) tail[end - 1 - byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
  for (std::size_t at = 0; at < end; at += 64) compress(state, tail.data() + at);
  Sha256 digest;
  for (int byte = 0; byte < 32; ++byte)
    digest[byte] = static_cast<std::uint8_t>(state[byte / 4] >> (24 - 8 * (byte % 4)));
  return digest;
}

std::string hexOf(const Sha256& digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

}  // namespace roundhouse
