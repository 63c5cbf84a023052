#include "broken_kernel.hpp"

namespace roundhouse::fault_injection {

bool start_broken_kernel() { return false; }

}  // namespace roundhouse::fault_injection
