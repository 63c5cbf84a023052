// How much of a model the core should have at once.
#pragma once

#include <cstdint>
#include <string>

namespace roundhouse {

// Requests that fill the next batch of every instance, of a configuration as the core gives it: so batches form while
// instances are busy, and all others can still be put in order. Without a bound for an ensemble, which has no
// instances. Throws TritonFailure for what is no configuration.
std::int64_t next_batches(const std::string& config);

// The latest of the versions of a model's metadata as the core gives them for all that are ready; -1 where there is
// none. Throws TritonFailure for what is no metadata.
std::int64_t latest_version(const std::string& metadata);

}  // namespace roundhouse
