// Faults of this layer. A peer's bytes can cause PEER_INVALID, nothing else.
#pragma once

#include "../../addon/coded_failure.hpp"

namespace roundhouse::shm {

class ShmFailure : public CodedFailure {
 public:
  using CodedFailure::CodedFailure;
};

}  // namespace roundhouse::shm
