// A request parameter as KServe v2 has it, of a kind that the core's requests have too.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace roundhouse::shm {

// The position in the variant is the kind in a frame.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct Parameter {
  std::string key;
  ParameterValue value;
};

}  // namespace roundhouse::shm
