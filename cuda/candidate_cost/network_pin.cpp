#include "network_pin.hpp"

#include "error.hpp"
#include "file_bytes.hpp"
#include "json.hpp"
#include "sha256.hpp"

namespace roundhouse::candidate_cost {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::modelFailed, reason); }

NetworkPin readPin(const std::filesystem::path& pinFile) {
  const auto bytes = fileBytes(pinFile);
  const std::string name = pinFile.filename().string();
  if (!bytes) refuse("the version folder has no readable " + name);
  backend::Json json;
  try {
    json = backend::parseJson({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  } catch (const std::exception& error) {
    refuse(name + ": " + error.what());
  }
  NetworkPin pin{json.at("network").text, json.at("sha256").text};
  if (pin.file.empty() || pin.sha256.empty()) refuse(name + " must have the texts 'network' and 'sha256'");
  return pin;
}

}  // namespace

std::filesystem::path pinnedNetwork(const std::filesystem::path& repository, const std::filesystem::path& pinFile) {
  const NetworkPin pin = readPin(pinFile);
  const std::filesystem::path file = repository / pin.file;
  const auto bytes = fileBytes(file);
  if (!bytes) refuse("the pinned network " + pin.file + " can't be read");
  const std::string found = hexOf(sha256(*bytes));
  if (found != pin.sha256)
    refuse("the pinned network " + pin.file + " has SHA-256 " + found + ", the pin says " + pin.sha256);
  return file;
}

}  // namespace roundhouse::candidate_cost
