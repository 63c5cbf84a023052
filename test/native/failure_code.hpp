// The code of the TritonFailure that a piece of code ends with.
#pragma once

#include <functional>
#include <string>

#include "core_api.hpp"

namespace roundhouse::test {

inline std::string code_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const TritonFailure& failure) {
    return failure.code;
  }
  return "no failure";
}

}  // namespace roundhouse::test
