// What callers may say beside the tensors of a request.
#pragma once

#include <vector>

#include "server.hpp"

namespace roundhouse {

constexpr std::size_t kMostParameters = 64;
constexpr std::size_t kLongestParameterKey = 128;
constexpr std::size_t kMostParameterBytes = 16 * 1024;  // keys and texts together

// Moves them into the request: `priority` and `timeout` for admission, the others for the backend. Throws
// INVALID_ARG naming the parameter that the core or its C strings can't carry, or that stands for what we lack.
void take_parameters(RequestSpec& spec, std::vector<shm::Parameter> parameters);

}  // namespace roundhouse
