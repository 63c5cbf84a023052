#pragma once

#include <string>

#include "algo/shard_tables.hpp"

namespace roundhouse::candidate_cost {

/// For example "orders row 3, column size: -1 is below 0"; empty for no fault.
inline std::string faultText(const Fault& fault) {
  if (!fault) return "";
  std::string text = fault.tensor;
  if (fault.row >= 0) text.append(" row ").append(std::to_string(fault.row));
  if (fault.column != nullptr) text.append(", column ").append(fault.column);
  text.append(": ");
  const bool statesValue = fault.value != 0 || fault.column != nullptr || fault.row < 0;
  if (statesValue) text.append(std::to_string(fault.value)).append(" ");
  return text.append(fault.limit);
}

}  // namespace roundhouse::candidate_cost
