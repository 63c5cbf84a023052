#include "gpu_driver.hpp"
#include "gpu_watch.hpp"

namespace roundhouse {
namespace {

constexpr unsigned kNonBlocking = 1;   // beside the legacy default stream
constexpr int kHighestPriority = -1'000;  // the driver takes the nearest that it has
constexpr std::size_t kBytes = 4;

// The primary context of one GPU, from when somebody else has made it: a context costs memory.
class ContextProbe {
 public:
  ContextProbe(const GpuDriver& driver, int index) : driver_(driver), index_(index) {
    driver.device(&device_, index);
  }

  std::string fault() {
    if (context_ == nullptr && !is_in_use()) return "";
    const GpuDriver::Result result = driver_.in_context(context_, [this] { return look(); });
    const bool is_well = result == GpuDriver::kOk || result == GpuDriver::kNotReady ||
                         result == GpuDriver::kNoMemory || result == GpuDriver::kEnding;
    return is_well ? "" : "GPU " + std::to_string(index_) + ": " + driver_.text_of(result);
  }

 private:
  bool is_in_use() {
    unsigned flags = 0;
    int active = 0;
    if (driver_.state(device_, &flags, &active) != GpuDriver::kOk || active == 0) return false;
    return driver_.retain(&context_, device_) == GpuDriver::kOk;
  }

  GpuDriver::Result look() {
    if (on_host_ == nullptr) return prepare();
    const GpuDriver::Result last = driver_.query(stream_);
    if (last != GpuDriver::kOk) return last;
    return driver_.copy_to_host(on_host_, on_gpu_, kBytes, stream_);
  }

  // Tried again at the next look where there is no memory.
  GpuDriver::Result prepare() {
    GpuDriver::Result result = GpuDriver::kOk;
    if (stream_ == nullptr) result = driver_.make_stream(&stream_, kNonBlocking, kHighestPriority);
    if (result == GpuDriver::kOk && on_gpu_ == 0) result = driver_.take(&on_gpu_, kBytes);
    if (result == GpuDriver::kOk) result = driver_.take_pinned(&on_host_, kBytes);
    return result;
  }

  const GpuDriver& driver_;
  int index_;
  int device_ = 0;
  // All of it is kept as long as the process lives: so is the context.
  GpuDriver::Context context_ = nullptr;
  GpuDriver::Stream stream_ = nullptr;
  GpuDriver::Pointer on_gpu_ = 0;
  void* on_host_ = nullptr;
};

class ContextCheck : public GpuCheck {
 public:
  explicit ContextCheck(const GpuDriver& driver) {
    for (int index = 0; index < driver.devices; ++index) probes_.emplace_back(driver, index);
  }
  std::string fault() override {
    for (ContextProbe& probe : probes_) {
      if (std::string fault = probe.fault(); !fault.empty()) return fault;
    }
    return "";
  }

 private:
  std::vector<ContextProbe> probes_;
};

}  // namespace

std::unique_ptr<GpuCheck> check_contexts() {
  const GpuDriver& driver = gpu_driver();
  return driver.devices == 0 ? nullptr : std::make_unique<ContextCheck>(driver);
}

}  // namespace roundhouse
