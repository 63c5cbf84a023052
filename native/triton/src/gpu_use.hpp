// How busy the GPUs of this process are, as NVIDIA's management library says. Found at run time; not needed.
#pragma once

#include <string>

namespace roundhouse {

// Any thread; may take milliseconds. JSON: { device, utilization, usedBytes, sizeBytes }[], `device` in the driver's order;
// utilization from 0 to 1, or -1 where it can't be said (a part of a GPU). [] where the library is absent.
std::string gpu_use_json();

}  // namespace roundhouse
