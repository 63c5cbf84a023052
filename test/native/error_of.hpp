#pragma once

#include <exception>
#include <functional>
#include <string>

namespace roundhouse::test {

/// What the body throws; empty where it doesn't.
inline std::string errorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace roundhouse::test
