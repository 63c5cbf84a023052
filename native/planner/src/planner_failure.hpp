#pragma once

#include <stdexcept>
#include <string>

namespace roundhouse::planner {

/// What the addon turns into a JS error with this `code`.
class PlannerFailure : public std::runtime_error {
 public:
  PlannerFailure(std::string code, const std::string& message)
      : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

}  // namespace roundhouse::planner
