// The network on ONNX Runtime: its columns are checked at load, a row has the same bits in every batch, and the
// pin of candidate_cost names file and content.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "../../cuda/backend/error.hpp"
#include "../../cuda/candidate_cost/network_pin.hpp"
#include "../../cuda/delivery_time/onnx_network.hpp"
#include "../../cuda/delivery_time/predict_in_pieces.hpp"
#include "../../cuda/delivery_time/rows_of.hpp"
#include "check.hpp"
#include "error_of.hpp"

namespace {

using roundhouse::test::errorOf;
using namespace roundhouse;
using namespace roundhouse::delivery_time;
namespace fs = std::filesystem;

const fs::path kSource = ROUNDHOUSE_SOURCE;
const fs::path kShipped = kSource / "models/delivery_time/1/model.onnx";

std::vector<float> randomRows(std::size_t rows) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1.0f, 30.0f);
  std::vector<float> features(rows * kFeatures);
  for (float& value : features) value = uniform(random);
  return features;
}

void checkRowsAcrossBatches() {
  const auto network = loadNetwork(kShipped, "");
  CHECK(dryRun(*network).batchInvariant);
  constexpr std::size_t rows = 1000;
  const std::vector<float> features = randomRows(rows);
  std::vector<float> together(rows * kQuantiles);
  network->predict(features.data(), rows, together.data());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < kQuantiles; column += 2) {
      const float* pair = &together[row * kQuantiles + column];
      CHECK_THAT(pair[0] >= 0 && pair[1] >= pair[0], "0 <= p50 <= p90");
    }
  }
  for (const std::size_t batch : {1u, 2u, 3u, 7u, 16u, 33u, 250u, 999u}) {
    std::vector<float> apart(rows * kQuantiles);
    for (std::size_t first = 0; first < rows; first += batch) {
      network->predict(&features[first * kFeatures], std::min(batch, rows - first), &apart[first * kQuantiles]);
    }
    CHECK_THAT(std::memcmp(apart.data(), together.data(), rows * kQuantiles * sizeof(float)) == 0,
               "the same bits in batches of " + std::to_string(batch));
  }
}

/// The shipped network, and what it was asked for.
class CountingNetwork : public Network {
 public:
  void predict(const float* features, std::size_t rows, float* quantiles) override {
    sizes.push_back(rows);
    network_->predict(features, rows, quantiles);
  }
  std::string description() const override { return network_->description(); }
  std::vector<std::size_t> sizes;

 private:
  std::unique_ptr<Network> network_ = loadNetwork(kShipped, "");
};

/// Callers with 700, 0, 1,000 and 800 rows; in pieces of 512 the third's are the rows 700 to 1,699.
void checkPieces() {
  const std::size_t ends[] = {700, 700, 1700, 2500};
  const std::vector<float> features = randomRows(2500);
  std::vector<float> together(2500 * kQuantiles), pieces(2500 * kQuantiles);
  CountingNetwork network;
  network.predict(features.data(), 2500, together.data());
  network.sizes.clear();
  const auto same = [&](std::size_t first, std::size_t last) {
    return std::memcmp(&pieces[first * kQuantiles], &together[first * kQuantiles],
                       (last - first) * kQuantiles * sizeof(float)) == 0;
  };
  std::vector<std::size_t> finished;
  const auto everyone = predictInPieces(
      network, features.data(), ends, pieces.data(),
      [](std::size_t caller) {
        CHECK(caller != 1);
        return true;
      },
      [&](std::size_t caller) {
        finished.push_back(caller);
        CHECK_EQUAL(network.sizes.size(), (ends[caller] + 511) / 512);
      });
  CHECK(finished == (std::vector<std::size_t>{0, 2, 3}));
  CHECK(everyone == std::vector<bool>(4, true));
  CHECK(network.sizes == (std::vector<std::size_t>{512, 512, 512, 512, 452}));
  CHECK(same(0, 2500));
  // The third gives up when it is asked for the second time, before row 1,024: the piece 1,024 to 1,535 is all its own.
  pieces.assign(pieces.size(), -1.0f);
  network.sizes.clear();
  int asked = 0;
  const auto served = predictInPieces(network, features.data(), ends, pieces.data(),
                                      [&](std::size_t caller) { return caller != 2 || ++asked < 2; });
  CHECK(served == (std::vector<bool>{true, true, false, true}));
  CHECK(network.sizes == (std::vector<std::size_t>{512, 512, 512, 452}));
  CHECK(same(0, 700) && same(1700, 2500));
  CHECK_EQUAL(asked, 2);
  CHECK(predictInPieces(network, nullptr, {}, nullptr, [](std::size_t) { return true; }).empty());
}

void checkColumns() {
  const auto refusal = [](const std::string& name) {
    return errorOf([&] { loadNetwork(kSource / "test/fixtures/onnx" / (name + ".onnx"), ""); });
  };
  const std::string input = "; it must be one FP32 'features' of shape [N, 20]";
  const std::string output = "; it must be one FP32 'quantiles' of shape [N, 8]";
  CHECK_EQUAL(refusal("constant"), "");
  CHECK_EQUAL(refusal("wrong_name"), "MODEL_FAILED: wrong_name.onnx: input is named 'inputs'" + input);
  CHECK_EQUAL(refusal("wrong_columns"), "MODEL_FAILED: wrong_columns.onnx: input has shape [N, 19]" + input);
  CHECK_EQUAL(refusal("wrong_outputs"), "MODEL_FAILED: wrong_outputs.onnx: output has shape [N, 6]" + output);
  // ONNX type 11 is DOUBLE.
  CHECK_EQUAL(refusal("wrong_type"), "MODEL_FAILED: wrong_type.onnx: input has ONNX type 11" + input);
  CHECK_EQUAL(refusal("fixed_rows"), "MODEL_FAILED: fixed_rows.onnx: input has shape [4, 20]" + input);
  CHECK_EQUAL(refusal("two_outputs"), "MODEL_FAILED: two_outputs.onnx: output count is 2" + output);
  CHECK(refusal("absent").starts_with("MODEL_FAILED: loading absent.onnx: "));
  CHECK(errorOf([] { loadNetwork(kSource / "package.json", ""); }).starts_with("MODEL_FAILED: loading package.json: "));
  // Other columns, where the model declares them.
  CHECK(errorOf([] { loadNetwork(kShipped, "", {64, 1}); }).ends_with("'features' of shape [N, 64]"));
  CHECK_EQUAL(loadNetwork(kShipped, "", {20, 8})->columns().quantiles, 8U);
  const auto infinite = loadNetwork(kSource / "test/fixtures/onnx/infinite.onnx", "");
  CHECK(errorOf([&] { dryRun(*infinite); }).starts_with("MODEL_FAILED: the network's dry run gives"));
  CHECK(errorOf([] {
          loadNetwork(kShipped, "/nowhere/libonnxruntime.so.1");
        }).starts_with("MODEL_FAILED: ONNX Runtime can't be opened: /nowhere/libonnxruntime.so.1"));
}

void checkPin() {
  using candidate_cost::pinnedNetwork;
  const fs::path folder = fs::temp_directory_path() / ("roundhouse-pin-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto refusal = [&](const std::string& pin) {
    std::ofstream(folder / "network.json", std::ios::trunc) << pin;
    return errorOf([&] { pinnedNetwork(kSource / "test/fixtures/onnx", folder / "network.json"); });
  };
  CHECK_EQUAL(pinnedNetwork(kSource / "models", kSource / "models/candidate_cost/1/network.json"), kShipped);
  CHECK_EQUAL(errorOf([&] { pinnedNetwork(kSource / "models", folder / "network.json"); }),
              "MODEL_FAILED: the version folder has no readable network.json");
  CHECK_EQUAL(refusal("{"), "MODEL_FAILED: network.json: JSON, byte 1: expected a name");
  CHECK_EQUAL(refusal("{}"), "MODEL_FAILED: network.json must have the texts 'network' and 'sha256'");
  CHECK_EQUAL(refusal(R"({"network":"absent.onnx","sha256":"00"})"),
              "MODEL_FAILED: the pinned network absent.onnx can't be read");
  const std::string other = refusal(R"({"network":"constant.onnx","sha256":"00"})");
  CHECK(other.starts_with("MODEL_FAILED: the pinned network constant.onnx has SHA-256 "));
  CHECK(other.ends_with(", the pin says 00"));
  fs::remove_all(folder);
}

/// 20 · (2^62 + 1) is 20 in 64 bits: such a shape once passed for one row.
void checkRowsOfShapes() {
  const auto refusal = [](std::vector<std::int64_t> shape, std::size_t values) {
    return errorOf([&] { (void)rowsOf(shape, values, kFeatures); });
  };
  const std::vector<std::int64_t> two{2, 20};
  CHECK_EQUAL(rowsOf(two, 40, kFeatures), 2U);
  for (const std::int64_t rows : {(std::int64_t{1} << 62) + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}}) {
    CHECK_EQUAL(refusal({rows, 20}, 20), "PAYLOAD_INVALID: tensor 'features' has another size than its shape says");
  }
  CHECK_EQUAL(refusal({1, 20}, 21), "PAYLOAD_INVALID: tensor 'features' has another size than its shape says");
  CHECK_EQUAL(refusal({2, 10}, 20), "PAYLOAD_INVALID: tensor 'features' must have shape [N, 20]");
}

}  // namespace

int main() {
  checkRowsOfShapes();
  checkRowsAcrossBatches();
  checkPieces();
  checkColumns();
  checkPin();
  return test::finish();
}
