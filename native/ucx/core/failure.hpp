// Faults of this layer, with the code that a JS error of it carries.
#pragma once

#include "../../addon/coded_failure.hpp"

namespace roundhouse::ucx {

class UcxFailure : public CodedFailure {
 public:
  using CodedFailure::CodedFailure;
};

}  // namespace roundhouse::ucx
