#include "plan_file.hpp"

#include <cstdlib>

#include "sha256.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr const char* kMagic = "roundhouse-plan 1\n";
/// TensorRT's: the cookie, then its version in the bytes 24 to 27.
constexpr const char* kBareMagic = "ftrt";
constexpr std::size_t kBareVersion = 24;

std::string digestOf(const std::string& bytes) {
  return hexOf(sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

/// Reads "NAME VALUE" lines one after the other.
class Header {
 public:
  explicit Header(const std::string& text) : text_(text), at_(std::string(kMagic).size()) {}

  bool line(const std::string& name, std::string& value) {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string::npos || text_.compare(at_, name.size() + 1, name + " ") != 0) return false;
    const std::size_t begin = at_ + name.size() + 1;
    value = text_.substr(begin, end - begin);
    at_ = end + 1;
    return true;
  }
  bool emptyLine() { return at_ < text_.size() && text_[at_++] == '\n'; }
  std::string rest() const { return text_.substr(at_); }

 private:
  const std::string& text_;
  std::size_t at_;
};

}  // namespace

std::string encodePlan(const PlanFile& file) {
  return kMagic + textOf(file.key) + "bytes " + std::to_string(file.plan.size()) + "\nsha256 " + digestOf(file.plan) +
         "\n\n" + file.plan;
}

bool isPlanFile(const std::string& bytes) { return bytes.starts_with(kMagic); }

std::optional<PlanFile> decodePlan(const std::string& bytes, std::string& fault) {
  fault = "it is no plan file";
  if (!isPlanFile(bytes)) return std::nullopt;
  PlanFile file;
  std::string size, digest;
  Header header(bytes);
  const bool whole = header.line("network", file.key.network) && header.line("gpu", file.key.gpu) &&
                     header.line("library", file.key.library) && header.line("precision", file.key.precision) &&
                     header.line("profiles", file.key.profiles) && header.line("bytes", size) &&
                     header.line("sha256", digest) && header.emptyLine();
  fault = "its header is broken";
  if (!whole) return std::nullopt;
  file.plan = header.rest();
  fault = "it has " + std::to_string(file.plan.size()) + " bytes of " + size;
  if (std::to_string(file.plan.size()) != size) return std::nullopt;
  fault = "its bytes were changed";
  if (digestOf(file.plan) != digest) return std::nullopt;
  fault.clear();
  return file;
}

std::string versionOfBarePlan(const std::string& bytes) {
  if (!bytes.starts_with(kBareMagic) || bytes.size() < kBareVersion + 4) return "";
  std::string version;
  for (std::size_t part = 0; part < 4; ++part) {
    if (part > 0) version += '.';
    version += std::to_string(static_cast<unsigned char>(bytes[kBareVersion + part]));
  }
  return version;
}

}  // namespace roundhouse::delivery_time::gpu
