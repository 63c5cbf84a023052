// Outputs that are inputs: the n-th of config.pbtxt is the n-th input, of the same type.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "request.hpp"

namespace roundhouse::fault_injection {

struct PassThrough {
  std::vector<std::pair<std::string, std::string>> pairs;  // input, output
  // An output PARAMETERS, UINT8, holds the lines of list_parameters.
  bool reports_parameters = false;
};

// Throws Error where config.pbtxt declares other outputs than that.
PassThrough read_pass_through(TRITONBACKEND_Model* model);

// Inputs that the request lacks (optional ones) give no output.
void answer(const PassThrough& model, TRITONBACKEND_Request* request);

}  // namespace roundhouse::fault_injection
