// Calls of the Triton backend delivery_time with buffers of any kind, alone and many in flight.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench_times.hpp"
#include "triton_host.hpp"

namespace roundhouse::test {

/// A call with buffers of one kind.
struct BackendCall {
  BackendCall(TritonHost& host, const std::string& model, const Subject& subject, std::size_t rows, MemoryKind kind)
      : in(kind, rows * subject.columns.features), out(kind, rows * subject.columns.quantiles) {
    in.set(subject.features.data());
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(subject.columns.features)};
    call = host.call(model, {{"features", TRITONSERVER_TYPE_FP32, shape, in.data(), in.bytes(), kind}},
                     {{"quantiles", out.data(), out.bytes(), kind}});
  }
  GpuBuffer in, out;
  std::unique_ptr<Call> call;
};

inline Latency backendLatency(TritonHost& host, const std::string& model, const Subject& subject, std::size_t rows,
                              MemoryKind kind) {
  BackendCall one(host, model, subject, rows, kind);
  return latencyOf([&] { one.call->infer(); });
}

/// Rows a second with so many calls in flight, kept there by up to four threads.
inline double backendRate(TritonHost& host, const std::string& model, const Subject& subject, std::size_t rows,
                          MemoryKind kind, std::size_t inFlight) {
  const std::size_t threads = std::min<std::size_t>(4, inFlight);
  std::vector<std::vector<std::unique_ptr<BackendCall>>> calls(threads);
  for (std::size_t index = 0; index < inFlight; ++index) {
    calls[index % threads].push_back(std::make_unique<BackendCall>(host, model, subject, rows, kind));
  }
  std::vector<double> rates(threads);
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (auto& one : calls[thread]) one->call->start();
      rates[thread] = rateOf([&] {
        for (auto& one : calls[thread]) one->call->wait(), one->call->start();
        return calls[thread].size();
      });
      for (auto& one : calls[thread]) one->call->wait();
    });
  }
  double rate = 0;
  for (std::size_t thread = 0; thread < threads; ++thread) running[thread].join(), rate += rates[thread];
  return rate * static_cast<double>(rows);
}

}  // namespace roundhouse::test
