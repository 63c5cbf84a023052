// Do type, shape and size of an input hold together? The same rules and words as tensor.ts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "inference.hpp"

namespace roundhouse {

// Throws TritonFailure INVALID_ARG naming the first input that is wrong.
void check_inputs(const std::vector<InputTensor>& inputs);

}  // namespace roundhouse
