// The network on ONNX Runtime: the rows of all requests of a batch together, each request answered when its last row is
// predicted.
#include <vector>

#include "model.hpp"
#include "predict_in_pieces.hpp"
#include "rows_of.hpp"

namespace roundhouse::delivery_time {
namespace {

using namespace backend;

/// One request's rows; `offset` is their place in the batch.
struct Slice {
  std::unique_ptr<InputTensor> features;
  std::size_t rows = 0;
  std::size_t offset = 0;
};

/// The rows of all open requests together.
struct Rows {
  std::vector<float> features;
  std::vector<float> quantiles;
  /// Where each request's rows end.
  std::vector<std::size_t> ends;
};

class CpuInstance : public Instance {
 public:
  explicit CpuInstance(Model& model) : model_(model) {}

  void execute(Batch& batch) override {
    std::vector<Slice> slices(batch.size());
    batch.each([&](std::size_t index) { slices[index] = read(batch.request(index)); });
    batch.startComputing();
    Rows rows = gather(batch, slices);
    batch.setRows(rows.ends.back());
    const auto answer = [&](std::size_t index) { answerOne(batch, index, slices[index], rows.quantiles); };
    std::vector<bool> served(batch.size(), false);
    std::exception_ptr broken;
    try {
      served = predict(batch, rows, answer);
    } catch (...) {
      broken = std::current_exception();
    }
    batch.each([&](std::size_t index) {
      if (broken) std::rethrow_exception(broken);
      if (!served[index]) throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
      answer(index);
    });
  }

 private:
  Slice read(TRITONBACKEND_Request* request) const {
    Slice slice;
    slice.features = std::make_unique<InputTensor>(request, "features", TRITONSERVER_TYPE_FP32);
    slice.rows = rowsOf(slice.features->shape(), slice.features->values<float>().size(), model_.columns.features);
    return slice;
  }

  Rows gather(const Batch& batch, std::vector<Slice>& slices) const {
    Rows rows;
    std::size_t count = 0;
    for (std::size_t index = 0; index < slices.size(); ++index) {
      slices[index].offset = count;
      if (batch.isOpen(index)) {
        const auto values = slices[index].features->values<float>();
        rows.features.insert(rows.features.end(), values.begin(), values.end());
        count += slices[index].rows;
      }
      rows.ends.push_back(count);
    }
    rows.quantiles.resize(count * model_.columns.quantiles);
    return rows;
  }

  /// True for the requests that are still wanted. A network whose rows depend on their batch gets all of them in one call,
  /// so that no other request changes by a cancellation.
  template <typename Answer>
  std::vector<bool> predict(const Batch& batch, Rows& rows, const Answer& answer) {
    const std::size_t count = rows.ends.back();
    if (model_.batchInvariant) {
      const auto wanted = [&](std::size_t index) { return !isCancelled(batch.request(index)); };
      return predictInPieces(*model_.network, rows.features.data(), rows.ends, rows.quantiles.data(), wanted, answer);
    }
    if (count > 0) model_.network->predict(rows.features.data(), count, rows.quantiles.data());
    return std::vector<bool>(batch.size(), true);
  }

  void answerOne(Batch& batch, std::size_t index, const Slice& slice, const std::vector<float>& quantiles) const {
    if (!batch.isOpen(index)) return;
    TRITONSERVER_Error* failed = guarded([&] {
      const std::size_t columns = model_.columns.quantiles;
      const std::int64_t shape[] = {static_cast<std::int64_t>(slice.rows), static_cast<std::int64_t>(columns)};
      Reply reply(batch.request(index));
      reply.write<float>("quantiles", TRITONSERVER_TYPE_FP32, shape,
                         {quantiles.data() + slice.offset * columns, slice.rows * columns});
      reply.send();
    });
    if (failed != nullptr)
      batch.fail(index, failed);
    else
      batch.succeed(index);
  }

  Model& model_;
};

}  // namespace

std::unique_ptr<Instance> makeCpuInstance(Model& model) { return std::make_unique<CpuInstance>(model); }

}  // namespace roundhouse::delivery_time
