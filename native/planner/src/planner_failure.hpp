#pragma once

#include "../../addon/coded_failure.hpp"

namespace roundhouse::planner {

/// What the addon turns into a JS error with this `code`.
class PlannerFailure : public CodedFailure {
 public:
  using CodedFailure::CodedFailure;
};

}  // namespace roundhouse::planner
