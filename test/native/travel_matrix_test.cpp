// SHA-256, and travel matrices by content hash: what is read, kept and refused.
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "../../cuda/backend/error.hpp"
#include "../../cuda/backend/work_poll.hpp"
#include "../../cuda/candidate_cost/shard.hpp"
#include "check.hpp"
#include "error_of.hpp"
#include "shard_fixture.hpp"

namespace {

using roundhouse::test::errorOf;
using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using Bytes = std::vector<uint8_t>;

std::string hashOf(const std::string& text) {
  return hexOf(sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
}

// The examples of FIPS 180-4, and lengths around the padding's edges (55, 56, 64 bytes) from sha256sum.
void checkSha256() {
  CHECK_EQUAL(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK_EQUAL(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_EQUAL(hashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK_EQUAL(hashOf(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK_EQUAL(hashOf(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK_EQUAL(hashOf(std::string(64, 'x')), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

/// Two zones, two layers: layer 0 for bike and scooter, layer 1 for cars, none for walking.
Bytes matrixFile(const std::vector<int32_t>& entries = {0, 60, 70, 0, 0, 30, 35, 0}) {
  Bytes bytes(32 + 4 * entries.size(), 0);
  std::memcpy(bytes.data(), "RHTRAVEL", 8);
  const uint32_t header[] = {1, 2, 2};
  std::memcpy(bytes.data() + 8, header, sizeof header);
  const uint8_t layers[] = {255, 0, 0, 1};
  std::memcpy(bytes.data() + 20, layers, sizeof layers);
  std::memcpy(bytes.data() + 32, entries.data(), 4 * entries.size());
  return bytes;
}

void checkFormat() {
  const TravelMatrix matrix(matrixFile());
  CHECK_EQUAL(matrix.zones(), 2);
  CHECK(matrix.seconds(0) == nullptr);
  CHECK_EQUAL(matrix.seconds(1)[1], 60);
  CHECK_EQUAL(matrix.seconds(3)[2], 35);
  const auto broken = [](std::size_t at, uint8_t value) {
    Bytes bytes = matrixFile();
    bytes[at] = value;
    return errorOf([&] { TravelMatrix matrix(bytes); });
  };
  CHECK_EQUAL(broken(0, 'X'), "TRAVEL_MATRIX_UNKNOWN: the file has no RHTRAVEL header");
  CHECK_EQUAL(broken(8, 2), "TRAVEL_MATRIX_UNKNOWN: format version 2 is not 1");
  CHECK_EQUAL(broken(12, 0), "TRAVEL_MATRIX_UNKNOWN: zone count 0 is not within 1..4096");
  CHECK_EQUAL(broken(15, 255), "TRAVEL_MATRIX_UNKNOWN: zone count 4278190082 is not within 1..4096");
  CHECK_EQUAL(broken(16, 5), "TRAVEL_MATRIX_UNKNOWN: layer count 5 is not within 1..4");
  // Three zones and two layers would be 32 + 4·2·9 = 104 bytes.
  CHECK_EQUAL(broken(12, 3), "TRAVEL_MATRIX_UNKNOWN: 64 bytes are not 104");
  CHECK_EQUAL(broken(21, 2), "TRAVEL_MATRIX_UNKNOWN: vehicle 1 has layer 2");
  CHECK_EQUAL(broken(39, 255), "TRAVEL_MATRIX_UNKNOWN: entry 1 is -16777156, not within 0..604800");
  CHECK_EQUAL(errorOf([] { TravelMatrix matrix(Bytes(31, 0)); }),
              "TRAVEL_MATRIX_UNKNOWN: the file has no RHTRAVEL header");
}

/// A folder of its own, gone at the end.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("roundhouse-travel-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
};

void checkStore() {
  const Folder folder;
  const Bytes good = matrixFile();
  // Room for three matrices of the same size, and not for four.
  MatrixStore store(folder.path, 4 * good.size() - 1);
  const Sha256 hash = sha256(good);
  CHECK_EQUAL(errorOf([&] { store.get(hash); }),
              "TRAVEL_MATRIX_UNKNOWN: the model repository has no travel matrix " + hexOf(hash));
  folder.write(hexOf(hash) + ".bin", good);
  const auto first = store.get(hash);
  CHECK_EQUAL(first->zones(), 2);
  // Kept: the file may go.
  std::filesystem::remove(folder.path / (hexOf(hash) + ".bin"));
  CHECK(store.get(hash) == first);
  const auto getOthers = [&](int32_t from, int32_t to) {
    for (int32_t other = from; other <= to; ++other) {
      const Bytes bytes = matrixFile({0, other, 70, 0, 0, 30, 35, 0});
      folder.write(hexOf(sha256(bytes)) + ".bin", bytes);
      store.get(sha256(bytes));
    }
  };
  // Two others leave it there, three push it out.
  getOthers(1, 2);
  CHECK(store.get(hash) == first);
  getOthers(3, 5);
  CHECK(errorOf([&] { store.get(hash); }) != "");
  // Content that is not the name's: a byte of the matrix was changed.
  Bytes changed = good;
  changed[36] = 61;
  folder.write(hexOf(hash) + ".bin", changed);
  CHECK_EQUAL(errorOf([&] { store.get(hash); }), "TRAVEL_MATRIX_UNKNOWN: travel matrix " + hexOf(hash) +
                                                     " has other content: its SHA-256 is " + hexOf(sha256(changed)));
  // The right name of a wrong file.
  const Bytes nonsense(40, 7);
  folder.write(hexOf(sha256(nonsense)) + ".bin", nonsense);
  CHECK_EQUAL(errorOf([&] { store.get(sha256(nonsense)); }),
              "TRAVEL_MATRIX_UNKNOWN: travel matrix " + hexOf(sha256(nonsense)) + ": the file has no RHTRAVEL header");
}

void setMatrix(test::ShardFixture& shard, const Sha256& hash) {
  namespace P = layout::Param;
  shard.params[P::travelKind] = 1;
  for (int word = 0; word < 4; ++word) {
    uint64_t value = 0;
    for (int byte = 0; byte < 8; ++byte) value = value << 8 | hash[8 * word + byte];
    shard.params[P::matrixHash + word] = static_cast<int64_t>(value);
  }
  for (std::size_t place = 0; place < 8; ++place) shard.places[3 * place + 2] = static_cast<int32_t>(place % 2);
}

void checkShards() {
  const Folder folder;
  MatrixStore store(folder.path);
  const Bytes good = matrixFile();
  folder.write(hexOf(sha256(good)) + ".bin", good);
  test::ShardFixture shard;
  setMatrix(shard, sha256(good));
  // The fixture's couriers ride vehicles 1 and 2.
  CHECK_EQUAL(errorOf([&] { openShard(shard.bytes(), store); }), "");
  CHECK_EQUAL(openShard(shard.bytes(), store).matrix->zones(), 2);
  shard.courier(1, layout::CourierColumn::vehicle) = 0;
  CHECK_EQUAL(errorOf([&] { openShard(shard.bytes(), store); }),
              "PAYLOAD_INVALID: couriers row 1, column vehicle: 0 has no layer in the travel matrix");
  shard.courier(1, layout::CourierColumn::vehicle) = 3;
  shard.places[2] = 2;
  CHECK_EQUAL(errorOf([&] { openShard(shard.bytes(), store); }),
              "PAYLOAD_INVALID: places row 0, column zone: 2 is no zone of the travel matrix");
  shard.params[layout::Param::matrixHash] ^= 1;
  CHECK(errorOf([&] {
          openShard(shard.bytes(), store);
        }).starts_with("TRAVEL_MATRIX_UNKNOWN: the model repository has no"));
}

/// A cancelled request ends with its code at the next poll.
void checkCancelled() {
  const Folder folder;
  MatrixStore store(folder.path);
  test::ShardFixture fixture;
  const Shard shard = openShard(fixture.bytes(), store);
  const ShardTimes times = shardTimes(shard.tables, shard.needed, nullptr);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  route_planner::resetWorkspace(workspace->planner);
  std::vector<uint8_t> plans(4 * layout::PLAN_RECORD_BYTES);
  CHECK_EQUAL(errorOf([&] { costShard(shard, times, *workspace, [] { return true; }, plans.data()); }),
              "DEADLINE_EXCEEDED: the caller cancelled the request");
  CHECK_EQUAL(errorOf([&] { costShard(shard, times, *workspace, [] { return false; }, plans.data()); }), "");
  // First at once, then after 2,000 units: the hundredth problem of 20.
  WorkPoll poll;
  CHECK(poll.due(20));
  for (int problem = 1; problem < 100; ++problem) CHECK(!poll.due(20));
  CHECK(poll.due(20));
  CHECK(!poll.due(0) && poll.due(1'000'000) && !poll.due(1'999) && poll.due(1));
}

}  // namespace

int main() {
  checkSha256();
  checkFormat();
  checkStore();
  checkShards();
  checkCancelled();
  return test::finish();
}
