#include "gpu_instance.hpp"

#include "../../device/device_fault.hpp"
#include "../gpu/packed_planner.hpp"
#include "planner_request.hpp"

namespace roundhouse::route_planner {
namespace {

using backend::Batch;
using gpu::PackedPlanner;
using gpu::PackedRequest;

/// The requests of a batch that could be read, in its order; the others are answered.
struct Work {
  std::vector<backend::InputTensor> inputs;
  std::vector<PackedRequest> requests;
};

Work readAll(Batch& batch) {
  Work work;
  work.inputs.reserve(batch.size());
  batch.each([&](std::size_t index) {
    TRITONBACKEND_Request* const handle = batch.request(index);
    const backend::InputTensor& input = work.inputs.emplace_back(readProblems(handle));
    PackedRequest request;
    request.words = input.values<std::int32_t>();
    request.pinned = input.isPinned();
    request.isCancelled = [handle] { return backend::isCancelled(handle); };
    work.requests.push_back(std::move(request));
  });
  return work;
}

class DeviceInstance final : public GpuInstance {
 public:
  explicit DeviceInstance(int device) : planner_({.device = device}) {
    dryRun();
    const std::string where = "route_planner on GPU " + std::to_string(device) + ": ";
    for (const std::string& line : planner_.resources()) backend::logInfo(__FILE__, __LINE__, where + line);
  }

  void execute(Batch& batch) override {
    Work work = readAll(batch);
    batch.startComputing();
    const std::exception_ptr broken = solve(work.requests);
    std::size_t next = 0;
    batch.each([&](std::size_t index) {
      PackedRequest& request = work.requests[next++];
      if (broken) std::rethrow_exception(broken);
      answer(batch.request(index), request);
      batch.succeed(index);
    });
  }

 private:
  /// What failed for all requests, or nothing.
  std::exception_ptr solve(std::span<PackedRequest> requests) noexcept {
    try {
      planner_.solve(requests);
      return nullptr;
    } catch (const device::DeviceMemoryShort& failure) {
      return std::make_exception_ptr(Error(ErrorCode::modelFailed, failure.what()));
    } catch (...) {
      return std::current_exception();
    }
  }

  /// Rows are copied while the GPU still works for the next ones. Where it throws, nothing reads the request's words.
  void answer(TRITONBACKEND_Request* handle, PackedRequest& request) {
    try {
      if (request.cancelled) throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
      if (request.faulty < 0 && reply(handle, request)) return;
      planner_.findRefused(request);
      refuseProblem(request.words, request.faultyAt, static_cast<std::size_t>(request.faulty));
    } catch (...) {
      planner_.wait();
      throw;
    }
  }

  /// False where it has a fault.
  bool reply(TRITONBACKEND_Request* handle, PackedRequest& request) {
    RowsReply rows(handle, static_cast<std::size_t>(request.count));
    return rows.fill([&](const RowsReply::Memory& to) { return planner_.read(request, to.costs, to.sequences, to.flags); });
  }

  void dryRun() {
    PackedRequest request;
    request.words = kSampleProblem;
    request.isCancelled = [] { return false; };
    planner_.solve({&request, 1});
    std::int64_t cost = 0;
    std::uint8_t stops[kMaxStops];
    std::uint8_t flags = 0;
    if (request.count == 1) (void)planner_.read(request, &cost, stops, &flags);
    planner_.wait();
    if (cost != 60) throw Error(ErrorCode::modelFailed, "the dry run on the GPU gave another cost than 60");
  }

  PackedPlanner planner_;
};

}  // namespace

std::unique_ptr<GpuInstance> makeGpuInstance(int device) { return std::make_unique<DeviceInstance>(device); }

}  // namespace roundhouse::route_planner
