#pragma once

#include <string>
#include <vector>

#include "device_planner.hpp"
#include "packed_rows.hpp"

namespace roundhouse::route_planner::gpu {

/// DeviceWork::build and solveGeneral for packed problems; they throw DeviceFault.
void buildPacked(const PackedSource& source, const Building& to, cudaStream_t stream);
void solvePackedGenerally(const PackedSource& source, const Building& batch, int firstItem, GeneralScratch* d_scratch,
                          int blocks, cudaStream_t stream);
/// Writes the answers of a chunk as rows in device memory.
void writePacked(const Building& solved, const PackedRows& rows, cudaStream_t stream);

/// As DevicePlanner::resources.
std::vector<std::string> packedResources();

}  // namespace roundhouse::route_planner::gpu
