#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace roundhouse::test {

/// What so many callers got out of a way to cost shards, each with one shard under way at a time.
struct Rate {
  int concurrency = 0;
  double shardsPerSecond = 0;
  double p50Us = 0, p99Us = 0;
};

namespace detail {

using Clock = std::chrono::steady_clock;

inline double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

inline double quantile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace detail

/// `infer` of each of `ways`, again and again on a thread of its own for `seconds`, after a fifth of that to warm up.
template <typename Way>
Rate measure(const std::vector<std::unique_ptr<Way>>& ways, int concurrency, double seconds) {
  using namespace detail;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(concurrency));
  std::vector<std::thread> threads;
  const auto ticks = [](double time) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
  };
  const auto begin = Clock::now() + ticks(seconds / 5);
  const auto end = begin + ticks(seconds);
  for (int number = 0; number < concurrency; ++number) {
    threads.emplace_back([&, number] {
      for (auto from = Clock::now(); from < end;) {
        ways[static_cast<std::size_t>(number)]->infer();
        const auto to = Clock::now();
        if (from >= begin && to <= end) times[static_cast<std::size_t>(number)].push_back(microseconds(to - from));
        from = to;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const auto& own : times) all.insert(all.end(), own.begin(), own.end());
  Rate rate{concurrency, static_cast<double>(all.size()) / seconds, 0, 0};
  rate.p50Us = quantile(all, 0.5);
  rate.p99Us = quantile(all, 0.99);
  return rate;
}

}  // namespace roundhouse::test
