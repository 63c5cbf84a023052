#include "plan_key.hpp"

#include "sha256.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kNameLetters = 32;

std::string differing(const char* what, const std::string& found, const std::string& here) {
  return found == here ? "" : std::string(what) + " " + found + ", not " + here;
}

}  // namespace

std::string textOf(const PlanKey& key) {
  return "network " + key.network + "\ngpu " + key.gpu + "\nlibrary " + key.library + "\nprecision " + key.precision +
         "\nprofiles " + key.profiles + "\n";
}

std::string fileNameOf(const PlanKey& key) {
  const std::string text = textOf(key);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return hexOf(sha256({bytes, text.size()})).substr(0, kNameLetters) + ".plan";
}

std::string obstacle(const PlanKey& found, const PlanKey& here) {
  const std::string gpu = differing("for the GPU", found.gpu, here.gpu);
  const std::string library = differing("by TensorRT", found.library, here.library);
  if (gpu.empty() && library.empty()) return "";
  return "was built " + gpu + (gpu.empty() || library.empty() ? "" : ", and ") + library;
}

}  // namespace roundhouse::delivery_time::gpu
