#include "request_parameters.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace roundhouse {
namespace {

using shm::Parameter;

// Triton's words for sequences, which no model here has.
constexpr std::array<std::string_view, 3> kOfSequences = {"sequence_id", "sequence_start", "sequence_end"};

// Keys come from outside and may be long: as much of one as a message needs.
std::string shown(const std::string& key) {
  std::string text = key.substr(0, kLongestParameterKey);
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20) letter = '?';
  }
  return "parameters[\"" + text + "\"]";
}

[[noreturn]] void refuse(const std::string& key, const std::string& why) {
  throw TritonFailure("INVALID_ARG", shown(key) + ": " + why);
}

void check_key(const std::string& key) {
  if (key.empty()) refuse(key, "an empty name");
  if (key.size() > kLongestParameterKey) {
    refuse(key, "a name of more than " + std::to_string(kLongestParameterKey) + " bytes");
  }
  if (key.find('\0') != std::string::npos) refuse(key, "a name with a NUL");
  if (key.starts_with("triton_")) refuse(key, "names that begin with triton_ are reserved");
  const bool of_sequence = std::find(kOfSequences.begin(), kOfSequences.end(), key) != kOfSequences.end();
  if (of_sequence) refuse(key, "sequences are not supported");
}

// Returns what it counts for the limit of bytes.
std::size_t check(const Parameter& parameter) {
  check_key(parameter.key);
  const auto* text = std::get_if<std::string>(&parameter.value);
  if (text == nullptr) return parameter.key.size();
  if (text->find('\0') != std::string::npos) refuse(parameter.key, "a text with a NUL");
  return parameter.key.size() + text->size();
}

std::uint64_t whole(const Parameter& parameter) {
  const auto* value = std::get_if<std::int64_t>(&parameter.value);
  if (value == nullptr || *value < 0) refuse(parameter.key, "must be a whole number, 0 or above");
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

void take_parameters(RequestSpec& spec, std::vector<Parameter> parameters) {
  if (parameters.size() > kMostParameters) {
    const std::string limit = std::to_string(kMostParameters);
    throw TritonFailure("INVALID_ARG", "parameters: more than " + limit + " of them");
  }
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (Parameter& parameter : parameters) {
    bytes += check(parameter);
    if (bytes > kMostParameterBytes) {
      refuse(parameter.key, "with it there are more than " + std::to_string(kMostParameterBytes) + " bytes of parameters");
    }
    if (!seen.insert(parameter.key).second) refuse(parameter.key, "stands there twice");
    if (parameter.key == "priority") spec.priority = whole(parameter);
    else if (parameter.key == "timeout") spec.timeout_us = whole(parameter);
    else spec.parameters.push_back(std::move(parameter));
  }
}

}  // namespace roundhouse
