// The way of packed problems to a GPU and back, on the CPU: cut into chunks, unpacked, solved by the kernels' own code and
// written as rows, against what the backend answers without a GPU.
#include <span>

#include "../../cuda/route_planner/backend/solve_request.hpp"
#include "../../cuda/route_planner/gpu/packed_intake.hpp"
#include "../../cuda/route_planner/gpu/packed_rows.hpp"
#include "../gpu/packed_problems.hpp"
#include "../gpu/route_families.hpp"
#include "check.hpp"
#include "error.hpp"
#include "planner_on_fibers.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;
using gpu::PackedIntake;
using gpu::PackedRequest;

constexpr int kMost = 40;

/// Rows of a call, by number.
struct Row {
  int64_t cost;
  gpu::PackedRows::Sequence sequence;
  uint8_t flags;
};

PackedRequest requestOf(std::span<const int32_t> words) {
  PackedRequest request;
  request.words = words;
  request.isCancelled = [] { return false; };
  return request;
}

/// The chunk's words side by side, as the copies put them.
std::vector<int32_t> gather(const PackedIntake& intake) {
  std::vector<int32_t> words(intake.words());
  for (const PackedIntake::Piece& piece : intake.pieces()) {
    std::copy_n(piece.words, piece.count, words.begin() + static_cast<ptrdiff_t>(piece.at));
  }
  return words;
}

/// Solves the requests chunk by chunk; at chunk `cancelAt` the first request is given up.
std::vector<Row> solveAll(std::span<PackedRequest> requests, std::size_t mostWords, int cancelAt = -1) {
  gpu::WorkerPool workers(2);
  gpu::PackedWalk walk(workers);
  PackedIntake intake(requests, walk);
  std::vector<Row> all;
  std::vector<uint32_t> offsets(kMost + 1);
  for (int chunk = 0;; ++chunk) {
    if (chunk == cancelAt) requests[0].isCancelled = [] { return true; };
    if (intake.allCancelled()) break;
    const int count = intake.take(kMost, mostWords, offsets.data());
    if (count == 0) break;
    CHECK(intake.words() <= mostWords);
    const std::vector<int32_t> words = gather(intake);
    const int first = static_cast<int>(all.size());
    test::FiberPlanner<gpu::PackedSource> planner({words.data(), offsets.data(), first}, first, count);
    planner.solve();
    std::vector<gpu::PackedRows::Sequence> memory((gpu::kRowBytes * count + 15) / 16);
    const gpu::PackedRows rows{reinterpret_cast<std::byte*>(memory.data()), count};
    for (int number = 0; number < count; ++number) {
      gpu::writeRow(planner.answer(number), planner.summary(number), rows, number);
      all.push_back({rows.costs()[number], rows.sequences()[number], rows.flags()[number]});
    }
  }
  return all;
}

void checkRows(const std::string& name, const PackedRequest& request, const std::vector<Row>& rows, SolveMemory& memory) {
  const Answers answers = solveRequest(request.words, memory, [] { return false; });
  CHECK_EQUAL(static_cast<std::size_t>(request.count), answers.costs.size());
  for (std::size_t row = 0; row < answers.costs.size(); ++row) {
    const Row& got = rows.at(static_cast<std::size_t>(request.first) + row);
    const bool same = got.cost == answers.costs[row] && got.flags == answers.flags[row] &&
                      std::memcmp(got.sequence.stops, answers.sequences.data() + row * kMaxStops, kMaxStops) == 0;
    CHECK_THAT(same, name + ", row " + std::to_string(row));
  }
}

std::vector<Problem> someOfAll(std::size_t each, uint64_t seed) {
  std::vector<Problem> problems;
  for (const test::Family& family : test::routeFamilies) {
    const auto drawn = test::drawFamily(family, each, seed);
    problems.insert(problems.end(), drawn.begin(), drawn.end());
  }
  return problems;
}

std::string failureOf(const PackedRequest& request) {
  try {
    refuseProblem(request.words, request.faultyAt, static_cast<std::size_t>(request.faulty));
  } catch (const Error& error) {
    return error.what();
  }
}

void checkChunks(SolveMemory& memory) {
  const auto first = test::packed(someOfAll(5, 1));
  const auto second = test::packed(someOfAll(2, 2));
  const std::vector<int32_t> one = test::packed({someOfAll(1, 3)[0]});
  std::vector<PackedRequest> requests = {requestOf(first), requestOf({}), requestOf(second), requestOf(one)};
  // 430 words are the largest problem: with so many, a chunk holds one of 8 orders or several small ones.
  for (const std::size_t mostWords : {std::size_t{kMostPackedWords}, std::size_t{5000}, std::size_t{1} << 20}) {
    for (PackedRequest& request : requests) request = requestOf(request.words);
    const std::vector<Row> rows = solveAll(requests, mostWords);
    CHECK_EQUAL(rows.size(), std::size(test::routeFamilies) * (5 + 2) + 1);
    for (const PackedRequest& request : requests) checkRows(std::to_string(mostWords), request, rows, memory);
  }
}

void checkFaults(SolveMemory& memory) {
  const auto problems = someOfAll(4, 7);
  const auto good = test::packed(problems);
  const auto changed = [&](int problem, int word, int32_t value) {
    std::vector<int32_t> words = good;
    words[gpu::packedOffset(good, problem) + static_cast<std::size_t>(word)] = value;
    return words;
  };
  // Word 4 is interleave, 0 and 1 the counts, 7 and 8 the weight of lateness.
  const auto unreadable = changed(5, 4, 2), counts = changed(6, 1, 17), negative = changed(7, 8, -1);
  const std::span<const int32_t> cut{good.data(), gpu::packedOffset(good, 3) + 1};
  std::vector<PackedRequest> requests = {requestOf(unreadable), requestOf(counts), requestOf(negative), requestOf(cut),
                                         requestOf(good)};
  const std::vector<Row> rows = solveAll(requests, 5000);
  CHECK_EQUAL(requests[1].faulty, 6);
  CHECK_EQUAL(requests[1].count, 6);
  CHECK_EQUAL(requests[3].faulty, 3);
  CHECK_EQUAL(failureOf(requests[1]),
              "PAYLOAD_INVALID: tensor 'problems', problem 6 can't be read: stopCount of a packed problem is 17");
  CHECK_EQUAL(failureOf(requests[3]),
              "PAYLOAD_INVALID: tensor 'problems', problem 3 can't be read: packed problems end in the middle of one");
  const auto flagsOf = [&](const PackedRequest& request, int problem) {
    return int{rows.at(static_cast<std::size_t>(request.first + problem)).flags};
  };
  CHECK_EQUAL(flagsOf(requests[0], 5), int{gpu::kRefusedFlags});
  CHECK_EQUAL(flagsOf(requests[2], 7), int{gpu::kRefusedFlags});
  CHECK(flagsOf(requests[2], 6) != int{gpu::kRefusedFlags});
  requests[2].faulty = 7;
  requests[2].faultyAt = gpu::packedOffset(negative, 7);
  CHECK_EQUAL(failureOf(requests[2]), "PAYLOAD_INVALID: tensor 'problems', problem 7 has a weight below 0");
  requests[4].faulty = 2;
  requests[4].faultyAt = gpu::packedOffset(good, 2);
  CHECK_EQUAL(failureOf(requests[4]), "MODEL_FAILED: the GPU refused problem 2, the CPU finds no fault in it");
  checkRows("beside faults", requests[4], rows, memory);
}

/// Words that change after they were counted.
void checkChanged() {
  const std::vector<int32_t> good = test::packed({someOfAll(1, 3)[0], someOfAll(1, 4)[0]});
  const auto length = static_cast<uint32_t>(gpu::packedOffset(good, 1));
  const uint32_t offsets[] = {0, length, static_cast<uint32_t>(good.size())};
  const auto reads = [&](std::vector<int32_t> words, int word, int32_t value) {
    words[static_cast<std::size_t>(word)] = value;
    Problem problem;
    return gpu::PackedSource{words.data(), offsets, 100}(100, problem);
  };
  CHECK(reads(good, 0, good[0]));
  CHECK(!reads(good, 0, good[0] == 1 ? 2 : 1));
  CHECK(!reads(good, 1, good[1] + 1));
  CHECK(!reads(good, 0, 1 << 20));
  CHECK(!reads(good, 1, -1));
  // Where the second of them began is looked for in the words of now.
  for (const int32_t orders : {-1, 9, 1 << 20}) {
    std::vector<int32_t> changed = good;
    changed[0] = orders;
    CHECK_EQUAL(gpu::packedOffset(changed, 1), 0U);
  }
  std::vector<int32_t> longer = good;
  longer[length] = 8;
  longer[length + 1] = 16;
  CHECK_EQUAL(gpu::packedOffset(longer, 2), std::size_t{length});
}

/// On the CPU: counts that change after they were checked, as a peer changes those in shared memory, are not read again.
void checkCountsReadOnce() {
  const std::vector<int32_t> good = test::packed({someOfAll(1, 3)[0]});
  const PackedCounts counts = readPackedCounts(good.data());
  CHECK(checkPackedCounts(counts).name == nullptr);
  Problem expected{};
  CHECK(unpack(good.data(), counts, expected).name == nullptr);
  for (const int32_t changed : {-1, 9, 17, 1 << 20}) {
    std::vector<int32_t> words = good;
    words[0] = words[1] = changed;
    Problem problem{};
    CHECK(unpack(words.data(), counts, problem).name == nullptr);
    CHECK_EQUAL(problem.orderCount, counts.orders);
    CHECK_EQUAL(problem.stopCount, counts.stops);
    CHECK(std::memcmp(&problem.travel, &expected.travel, sizeof problem.travel) == 0);
  }
}

/// One walk, word by word.
gpu::PackedWalk::End walkSlowly(std::span<const int32_t> words, std::size_t from, std::size_t limit,
                                std::vector<uint32_t>& starts) {
  std::size_t at = from;
  while (at < limit) {
    const bool counted = words.size() - at >= 2 && checkPackedCounts(readPackedCounts(words.data() + at)).name == nullptr;
    const std::size_t length = counted ? static_cast<std::size_t>(packedWords(words[at], words[at + 1])) : 0;
    if (!counted || at + length > words.size()) return {at, true};
    starts.push_back(static_cast<uint32_t>(at - from));
    at += length;
  }
  return {at, false};
}

void checkWalk(const std::string& name, std::span<const int32_t> words, std::size_t from, std::size_t limit) {
  gpu::WorkerPool workers(3);
  gpu::PackedWalk walk(workers);
  for (int again = 0; again < 2; ++again) {
    std::vector<uint32_t> expected;
    const auto end = walk.walk(words, from, limit);
    const auto expectedEnd = walkSlowly(words, from, limit, expected);
    CHECK_THAT(std::equal(walk.starts().begin(), walk.starts().end(), expected.begin(), expected.end()), name + ": starts");
    CHECK_THAT(end.at == expectedEnd.at && end.faulty == expectedEnd.faulty, name + ": end");
  }
}

/// Long enough for several walks: 32 parts of 4,096 words and more.
void checkWalks() {
  const std::vector<int32_t> mixed = test::packed(someOfAll(150, 23));
  CHECK_THAT(mixed.size() > 2 * gpu::PackedWalk::kWalks * gpu::PackedWalk::kLeastPart, "long enough");
  checkWalk("mixed", mixed, 0, mixed.size());
  checkWalk("mixed, a part of them", mixed, gpu::packedOffset(mixed, 100), mixed.size() - 5000);
  // Numbers that look like counts everywhere: guesses go wrong, the walk does not.
  std::vector<int32_t> small = mixed;
  for (std::size_t at = 0, next = 0; at < small.size(); ++at) {
    if (at != next) {
      small[at] = static_cast<int32_t>(at % 3);
      continue;
    }
    next += static_cast<std::size_t>(packedWords(small[at], small[at + 1]));
    ++at;
  }
  checkWalk("small numbers", small, 0, small.size());
  checkWalk("zeros", std::vector<int32_t>(300000, 0), 0, 300000);
  checkWalk("ones", std::vector<int32_t>(300000, 1), 0, 300000);
  for (const int problem : {0, 700, 1500}) {
    std::vector<int32_t> faulty = mixed;
    faulty[gpu::packedOffset(mixed, problem) + 1] = 17;
    checkWalk("a fault", faulty, 0, faulty.size());
  }
  checkWalk("cut off", std::span(mixed).first(mixed.size() - 3), 0, mixed.size() - 3);
  checkWalk("one word too many", std::span(mixed).first(gpu::packedOffset(mixed, 1700) + 1), 0,
            gpu::packedOffset(mixed, 1700) + 1);
}

void checkCancelled(SolveMemory& memory) {
  const auto words = test::packed(someOfAll(8, 11));
  std::vector<PackedRequest> requests = {requestOf(words), requestOf(words)};
  // 8 of each of 14 families: two chunks of 40 are taken before the first request is given up.
  const std::vector<Row> rows = solveAll(requests, 1 << 20, 2);
  CHECK(requests[0].cancelled);
  CHECK_EQUAL(requests[0].count, 80);
  CHECK_EQUAL(requests[1].first, 80);
  checkRows("beside a cancelled one", requests[1], rows, memory);
  std::vector<PackedRequest> only = {requestOf(words)};
  CHECK_EQUAL(solveAll(only, 1 << 20, 1).size(), 40u);
}

}  // namespace

int main() {
  const auto memory = makeSolveMemory();
  checkChunks(*memory);
  checkFaults(*memory);
  checkChanged();
  checkCountsReadOnce();
  checkWalks();
  checkCancelled(*memory);
  return test::finish();
}
