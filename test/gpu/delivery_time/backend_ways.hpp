// The backend with other numbers of instances, other graphs, and with or without the core's batches, against the bare loop.
#pragma once

#include <map>

#include "backend_calls.hpp"

namespace roundhouse::test {

struct Way {
  int instances;
  std::size_t graphRows;
  /// The core puts requests together.
  bool batches;
};

/// Graphs of calls have no more rows than this.
inline std::size_t mostGraphRows = 65'536;

constexpr Way kWays[] = {{2, 16'384, false}, {3, 16'384, false}, {4, 16'384, false}, {4, 65'536, false}, {5, 16'384, false},
                         {4, 16'384, true}};
/// Rows of the calls by which ways are told apart.
constexpr std::size_t kWayRows[] = {64, 16'384, 65'536};

/// Sums of microseconds above the bare loop, and shares of its rate: device-resident, then pinned.
inline std::string measureRows(TritonHost& host, const std::string& model, const Subject& subject, std::size_t rows,
                               const Bare& bare) {
  const double device = backendLatency(host, model, subject, rows, kDevice).median - bare.device.median;
  const double pinned = backendLatency(host, model, subject, rows, kPinned).median - bare.copies.median;
  std::string text = "{ \"rows\": " + std::to_string(rows) + ", " + json("deviceAddedMicroseconds", device) + ", " +
                     json("pinnedAddedMicroseconds", pinned);
  std::printf("  %6zu rows: device %+.1f us, pinned %+.1f us", rows, device, pinned);
  for (const std::size_t inFlight : {4u, 8u}) {
    const double resident = backendRate(host, model, subject, rows, kDevice, inFlight) / bare.deviceRate;
    const double copied = backendRate(host, model, subject, rows, kPinned, inFlight) / bare.copiesRate;
    const std::string name = "InFlight" + std::to_string(inFlight);
    text += ", " + json(("deviceShare" + name).c_str(), resident) + ", " + json(("pinnedShare" + name).c_str(), copied);
    std::printf("; %zu in flight %.2f, %.2f of bare", inFlight, resident, copied);
  }
  std::printf("\n");
  return text + " }";
}

inline std::string nameOf(const Way& way) {
  return std::to_string(way.instances) + "_" + std::to_string(way.graphRows) + (way.batches ? "_batches" : "_alone");
}

/// '' for one that was measured already, since it has no more graphs than `mostGraphRows`.
inline std::string measureWay(TritonHost& host, NetworkRepository& repository, const Subject& subject, Way way,
                              const std::map<std::size_t, Bare>& bare) {
  way.graphRows = std::min(way.graphRows, mostGraphRows);
  const std::string model = subject.name + "_" + nameOf(way);
  if (fs::exists(repository.folder() / model)) return "";
  const fs::path folder = repository.add(model, subject.columns,
                                         NetworkRepository::parameter("graph_rows", std::to_string(way.graphRows)),
                                         "kind: KIND_GPU count: " + std::to_string(way.instances), "delivery_time",
                                         way.batches ? "dynamic_batching { }" : "");
  fs::copy_file(subject.file, folder / "model.onnx");
  const auto start = Clock::now();
  host.load(model);
  const double load = microsecondsSince(start) / 1e6;
  std::printf("%s, loaded in %.2f s\n", model.c_str(), load);
  std::string figures;
  for (const auto& [rows, loop] : bare) figures += (figures.empty() ? "" : ", ") + measureRows(host, model, subject, rows, loop);
  const double small = backendRate(host, model, subject, 64, kPinned, 16);
  const double many = backendRate(host, model, subject, 64, kPinned, 64);
  std::printf("  64 rows, 16 in flight: %.1f M rows/s, 64 in flight: %.1f\n", small / 1e6, many / 1e6);
  std::fflush(stdout);
  host.unload(model);
  return "{ \"way\": \"" + nameOf(way) + "\", " + json("secondsToLoad", load) + ", " + json("rows64InFlight16", small) + ", " +
         json("rows64InFlight64", many) + ", \"by\": [ " + figures + " ] }";
}

inline std::string measureWays(TritonHost& host, NetworkRepository& repository, const Subject& subject,
                               gpu::TensorRtNetwork& network) {
  std::map<std::size_t, Bare> bare;
  for (const std::size_t rows : kWayRows) bare[rows] = measureBare(network, subject, rows);
  std::string text;
  for (const Way& way : kWays) {
    const std::string one = measureWay(host, repository, subject, way, bare);
    if (!one.empty()) text += (text.empty() ? "" : ",\n    ") + one;
  }
  return "[ " + text + " ]";
}

}  // namespace roundhouse::test
