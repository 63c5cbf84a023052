// Triton backend `device_on_host`: an instance of delivery_time for GPUs with CUDA and network on the CPU.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "../../../cuda/delivery_time/gpu/device_instance.hpp"
#include "onnx_network.hpp"
#include "triton_error.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using backend::check;
using backend::guarded;

constexpr std::size_t kHostRows = 256;
constexpr std::size_t kCallRows = 4'096;

/// The network of the CPU behind the interface of the GPU's.
class NetworkOnHost : public DeviceNetwork {
 public:
  explicit NetworkOnHost(const std::filesystem::path& file) : network_(loadNetwork(file, "")) {}

  class OneContext : public Context {
   public:
    explicit OneContext(Network& network)
        : network_(network), features_(kHostRows * kFeatures), quantiles_(kHostRows * kQuantiles) {}
    void enqueue(const float* features, std::size_t rows, float* quantiles, cudaStream_t) override {
      // A row that asks for it: the GPU that fails in the middle of a batch.
      if (features[19] == 1300.0f) throw device::DeviceFault("the test", cudaErrorIllegalAddress);
      // And a call that lasts until the test has sent what shall wait behind it.
      while (features[19] == 1400.0f && !std::filesystem::exists(std::getenv("DEVICE_INSTANCE_GATE"))) usleep(1'000);
      network_.predict(features, rows, quantiles);
    }
    std::size_t hostRows() const override { return kHostRows; }
    float* hostFeatures() override { return features_.data(); }
    const float* hostQuantiles() const override { return quantiles_.data(); }
    void enqueueHost(std::size_t rows, cudaStream_t stream) override {
      enqueue(features_.data(), rows, quantiles_.data(), stream);
    }
    std::size_t callRows() const override { return kCallRows; }
    bool enqueueCall(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream) override {
      // A row that asks for it: an address that a graph refuses.
      std::vector<float> features(rows * kFeatures), quantiles(rows * kQuantiles);
      std::memcpy(features.data(), from.start, features.size() * sizeof(float));
      if (features[19] == 1500.0f) return false;
      enqueue(features.data(), rows, quantiles.data(), stream);
      std::memcpy(to.start, quantiles.data(), quantiles.size() * sizeof(float));
      return true;
    }

   private:
    Network& network_;
    std::vector<float> features_, quantiles_;
  };

  std::unique_ptr<Context> context() override { return std::make_unique<OneContext>(*network_); }
  std::size_t maxRows() const override { return 65'536; }
  std::string description() const override { return "on the host"; }

 private:
  std::unique_ptr<Network> network_;
};

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* handle) {
  return guarded([&] {
    TRITONBACKEND_Model* model = nullptr;
    check(TRITONBACKEND_ModelInstanceModel(handle, &model));
    const auto settings =
        backend::readModelSettings(model, {{"features", TRITONSERVER_TYPE_FP32}}, {{"quantiles", TRITONSERVER_TYPE_FP32}});
    auto network = std::make_shared<NetworkOnHost>(settings.parameter("file", ""));
    auto instance = std::make_unique<gpu::DeviceInstance>(Columns{}, 0, std::move(network), 65'536);
    check(TRITONBACKEND_ModelInstanceSetState(handle, instance.release()));
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* handle) {
  return guarded([&] {
    void* state = nullptr;
    check(TRITONBACKEND_ModelInstanceState(handle, &state));
    delete static_cast<gpu::DeviceInstance*>(state);
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* handle,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return backend::executeRequests(handle, requests, count, [&](backend::Batch& batch) {
    void* state = nullptr;
    check(TRITONBACKEND_ModelInstanceState(handle, &state));
    static_cast<gpu::DeviceInstance*>(state)->execute(batch);
  });
}
