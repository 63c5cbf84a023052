#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace roundhouse {

/// A fault with the code that a JS error of it carries. No Node here.
class CodedFailure : public std::runtime_error {
 public:
  CodedFailure(std::string code_name, const std::string& message)
      : std::runtime_error(message), code(std::move(code_name)) {}
  std::string code;
  /// Of a request that is refused: milliseconds to its deadline; negative where it has none.
  std::int64_t remaining_ms = -1;
};

}  // namespace roundhouse
