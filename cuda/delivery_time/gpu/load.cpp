#include "load.hpp"

#include <map>
#include <mutex>

#include "accuracy_check.hpp"
#include "device_count.hpp"
#include "error.hpp"
#include "file_bytes.hpp"
#include "plan_builder.hpp"
#include "plan_file.hpp"
#include "plan_store.hpp"
#include "sha256.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

/// The thread's GPU while it loads, then the one it had.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    const int count = device::deviceCount();
    if (device < 0 || device >= count) {
      throw Error(ErrorCode::modelFailed, "there is no GPU " + std::to_string(device) + ": the driver shows " +
                                              std::to_string(count));
    }
    (void)cudaGetDevice(&before_);
    device::useDevice(device);
  }
  ~CurrentDevice() { (void)cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

std::string gpuKind(int device) {
  cudaDeviceProp properties{};
  device::require(cudaGetDeviceProperties(&properties, device), "a GPU's properties");
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) + " multiprocessors";
}

std::string readFile(const std::filesystem::path& file) {
  const auto bytes = fileBytes(file);
  if (!bytes) throw Error(ErrorCode::modelFailed, file.string() + " can't be read");
  return {bytes->begin(), bytes->end()};
}

/// One load: the file, the GPU and the library that it is for.
class Loading {
 public:
  Loading(const DeviceNetworkOptions& options, const std::string& file)
      : options_(options),
        file_(file),
        library_(TensorRt::open(options.library)),
        gpu_(gpuKind(options.device)),
        name_(options.file.filename().string()) {}

  std::shared_ptr<TensorRtNetwork> run() { return options_.file.extension() == ".plan" ? runPlan() : runBuilt(); }

 private:
  std::shared_ptr<TensorRtNetwork> runPlan();
  std::shared_ptr<TensorRtNetwork> runBuilt();
  std::shared_ptr<TensorRtNetwork> built(Precision precision);
  std::string build(Precision precision, const std::string& fault);
  std::shared_ptr<TensorRtNetwork> open(const std::string& plan);
  std::string describe(const std::string& precision) const;

  const DeviceNetworkOptions& options_;
  const std::string& file_;
  TensorRt& library_;
  std::string gpu_;
  std::string name_;
  std::string notes_;
};

std::shared_ptr<TensorRtNetwork> Loading::open(const std::string& plan) {
  return std::make_shared<TensorRtNetwork>(
      library_, plan,
      TensorRtNetwork::Settings{name_, options_.columns, options_.device, options_.graphs, options_.sharedArena,
                                options_.callGraphRows});
}

std::string Loading::describe(const std::string& precision) const {
  return "TensorRT " + library_.version() + ", " + gpu_ + ", " + precision + notes_;
}

/// Written by TensorRT, or kept by this program for some GPU.
std::shared_ptr<TensorRtNetwork> Loading::runPlan() {
  std::string plan = file_, fault;
  if (isPlanFile(file_)) {
    auto kept = decodePlan(file_, fault);
    if (!kept) throw Error(ErrorCode::modelFailed, name_ + ": " + fault);
    const std::string other = obstacle(kept->key, {"", gpu_, library_.version(), "", ""});
    if (!other.empty()) throw Error(ErrorCode::modelFailed, name_ + " " + other);
    plan = std::move(kept->plan);
  } else if (const std::string version = versionOfBarePlan(file_); !version.empty() && version != library_.version()) {
    throw Error(ErrorCode::modelFailed, name_ + " was built by TensorRT " + version + ", not " + library_.version());
  }
  auto network = open(plan);
  const Deviation away = dryRunOnDevice(*network, options_.reference);
  if (!away.isWithin()) throw Error(ErrorCode::modelFailed, name_ + " is out of the limit: " + away.text);
  network->setDescription(describe("as it was built"));
  return network;
}

std::shared_ptr<TensorRtNetwork> Loading::built(Precision precision) {
  const PlanStore store(options_.planFolder);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file_.data());
  const PlanKey key{hexOf(sha256({bytes, file_.size()})), gpu_, library_.version(), nameOf(precision),
                    textOf(options_.profiles)};
  std::string fault;
  if (const auto kept = store.find(key, fault)) {
    try {
      return open(*kept);
    } catch (const Error& error) {
      fault = error.what();
    }
  }
  if (!fault.empty()) notes_ += "; a kept plan was no good (" + fault + ")";
  const std::string plan = build(precision, fault);
  if (const std::string reason = store.keep(key, plan); !reason.empty()) notes_ += "; not kept (" + reason + ")";
  return open(plan);
}

/// `fault`: of the kept plan; who can't build one wants to know.
std::string Loading::build(Precision precision, const std::string& fault) {
  try {
    return buildPlan(library_, {file_, name_, options_.columns, precision, options_.profiles, options_.planLevel});
  } catch (const Error& error) {
    if (fault.empty()) throw;
    throw Error(ErrorCode::modelFailed, std::string(error.what()) + "; a kept plan was no good (" + fault + ")");
  }
}

/// The precision that was asked for, else the fastest within the limit.
std::shared_ptr<TensorRtNetwork> Loading::runBuilt() {
  const bool chosen = options_.precision.has_value();
  const std::vector<Precision> tried =
      chosen                          ? std::vector{*options_.precision}
      : options_.reference == nullptr ? std::vector{Precision::fp32}
                                      : std::vector{Precision::fp16, Precision::tf32, Precision::fp32};
  for (const Precision precision : tried) {
    auto network = built(precision);
    const Deviation away = dryRunOnDevice(*network, options_.reference);
    if (away.isWithin()) {
      network->setDescription(describe(nameOf(precision)));
      return network;
    }
    notes_ += std::string("; ") + nameOf(precision) + " is out of the limit: " + away.text;
  }
  throw Error(ErrorCode::modelFailed, name_ + " on the GPU" + notes_);
}

/// What is loaded already, by what makes it another.
class LoadedNetworks {
 public:
  std::shared_ptr<DeviceNetwork> get(const DeviceNetworkOptions& options) {
    const std::string file = readFile(options.file);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data());
    const std::string key = hexOf(sha256({bytes, file.size()})) + " " + std::to_string(options.device) + " " +
                            (options.precision ? nameOf(*options.precision) : "any") + " " +
                            std::to_string(options.columns.features) + ":" + std::to_string(options.columns.quantiles) +
                            " " + textOf(options.profiles) + (options.reference != nullptr ? " checked" : "") +
                            (options.graphs ? " graphs " + std::to_string(options.callGraphRows) : "") +
                            (options.sharedArena ? " arena" : "");
    const std::lock_guard lock(mutex_);
    const CurrentDevice current(options.device);
    std::erase_if(loaded_, [](const auto& entry) { return entry.second.expired(); });
    auto network = loaded_[key].lock();
    if (!network) loaded_[key] = network = Loading(options, file).run();
    return network;
  }

 private:
  /// Loads one after the other: two builds side by side would measure each other.
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<DeviceNetwork>> loaded_;
};

}  // namespace

std::shared_ptr<DeviceNetwork> load(const DeviceNetworkOptions& options) {
  static LoadedNetworks networks;
  return networks.get(options);
}

std::string whyNoLibrary(const std::string& library) {
  try {
    (void)TensorRt::open(library);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace roundhouse::delivery_time::gpu
