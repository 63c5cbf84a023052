#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../../cuda/candidate_cost/travel_matrix.hpp"
#include "random_shards.hpp"

namespace roundhouse::test {

/// A folder of random travel matrices, gone at the end.
class MatrixFolder {
 public:
  explicit MatrixFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / (name + "-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~MatrixFolder() { std::filesystem::remove_all(path); }

  Sha256 add(Random& random, std::uint32_t zones) {
    const std::vector<std::uint8_t> bytes = randomMatrixFile(random, zones);
    const Sha256 hash = sha256(bytes);
    std::ofstream file(path / (hexOf(hash) + ".bin"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return hash;
  }

  const std::filesystem::path path;
};

/// Makes a shard name the matrix.
inline void nameMatrix(candidate_cost::ShardValues& shard, const Sha256& hash) {
  for (std::size_t word = 0; word < 4; ++word) {
    std::uint64_t packed = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) packed = packed << 8 | hash[8 * word + byte];
    shard.params[layout::Param::matrixHash + word] = static_cast<std::int64_t>(packed);
  }
}

}  // namespace roundhouse::test
