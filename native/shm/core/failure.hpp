// Faults of this layer. A peer's bytes can cause PEER_INVALID, nothing else.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace roundhouse::shm {

class ShmFailure : public std::runtime_error {
 public:
  ShmFailure(std::string code_name, const std::string& message)
      : std::runtime_error(message), code(std::move(code_name)) {}
  std::string code;
};

}  // namespace roundhouse::shm
