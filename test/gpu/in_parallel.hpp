#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace roundhouse::test {

/// work(0) … work(count − 1), each on a thread of its own, the first on the caller's. `work` throws nothing.
template <typename Work>
void inParallel(std::size_t count, const Work& work) {
  std::vector<std::thread> others;
  for (std::size_t index = 1; index < count; ++index) others.emplace_back([&work, index] { work(index); });
  if (count > 0) work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace roundhouse::test
