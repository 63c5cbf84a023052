// What breaks the context of a GPU, as a fault in a kernel does.
#pragma once

namespace roundhouse::fault_injection {

// Starts a kernel on the process's first GPU that writes to an address where nothing is, and does not wait for it: every
// call of CUDA fails from then on. False where there is no GPU, or where this was built without CUDA.
bool start_broken_kernel();

}  // namespace roundhouse::fault_injection
