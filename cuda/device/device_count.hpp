#pragma once

namespace roundhouse::device {

/// GPUs that this build and the driver can use; 0 where there is no driver.
int deviceCount();

/// Makes GPU `device` the calling thread's. Throws DeviceFault where there is none of that number.
void useDevice(int device);

}  // namespace roundhouse::device
