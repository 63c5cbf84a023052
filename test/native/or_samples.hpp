#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../../cuda/route_planner/algo/problem.hpp"

/// Reads the sample files of ../shared/or (trusted: written by a program, keys as its README lists them).
namespace roundhouse::test {

struct Sample {
  long long id;
  route_planner::Problem problem;
  long long cost;
  std::string sequence;
};

inline std::vector<long long> integersFrom(const std::string& text, size_t at, size_t count) {
  std::vector<long long> values;
  while (values.size() < count && at < text.size()) {
    const bool starts = text[at] == '-' || (text[at] >= '0' && text[at] <= '9');
    if (!starts) {
      ++at;
      continue;
    }
    size_t length = 0;
    values.push_back(std::stoll(text.substr(at, 24), &length));
    at += length;
  }
  return values;
}

inline std::vector<long long> integersOf(const std::string& line, const std::string& key, size_t count) {
  return integersFrom(line, line.find("\"" + key + "\":") + key.size() + 3, count);
}

inline void readOrder(const std::string& text, int index, route_planner::Problem& problem) {
  const auto field = [&](const char* key) { return static_cast<int32_t>(integersOf(text, key, 1)[0]); };
  const auto bit = static_cast<uint8_t>(1 << index);
  const int32_t pick = field("pick");
  const auto group = route_planner::Group::held;
  problem.orders[index] = {field("ready"), field("promised"), route_planner::kNoLimit, 1, pick == -1};
  if (pick > 0) problem.stops[pick] = {route_planner::StopKind::pickup, group, bit, 0, 0};
  problem.stops[field("drop")] = {route_planner::StopKind::dropoff, group, bit, 0, 0};
}

inline route_planner::Problem readProblem(const std::string& line) {
  route_planner::Problem problem{};
  const auto field = [&](const char* key) { return static_cast<int32_t>(integersOf(line, key, 1)[0]); };
  problem.orderCount = field("n");
  problem.stopCount = field("m");
  problem.capacity = field("Q");
  problem.startAt = field("t0");
  problem.latestPickup = route_planner::kNoLimit;
  problem.interleave = true;
  const auto weights = integersOf(line, "w", 3);
  problem.weightLateness = weights[0];
  problem.weightDuration = weights[1];
  problem.weightFreshness = weights[2];
  size_t at = line.find("\"orders\":");
  for (int index = 0; index < problem.orderCount; ++index) {
    at = line.find('{', at) + 1;
    readOrder(line.substr(at, line.find('}', at) - at), index, problem);
  }
  const auto nodes = static_cast<size_t>(problem.stopCount) + 1;
  const auto service = integersOf(line, "svc", nodes);
  const auto travel = integersOf(line, "T", nodes * nodes);
  for (size_t from = 0; from < nodes; ++from) {
    problem.stops[from].postService = static_cast<int32_t>(service[from]);
    for (size_t to = 0; to < nodes; ++to) {
      problem.travel[from][to] = static_cast<int32_t>(travel[from * nodes + to]);
    }
  }
  return problem;
}

/// Samples of one file with their optima; empty if it is not there.
inline std::vector<Sample> readSamples(const std::string& folder, const std::string& name) {
  std::ifstream problems(folder + "/" + name + ".jsonl");
  std::ifstream optima(folder + "/" + name + ".optimal.csv");
  std::vector<Sample> samples;
  std::string line;
  std::string optimum;
  std::getline(optima, optimum);
  while (std::getline(problems, line) && std::getline(optima, optimum)) {
    const auto numbers = integersFrom(optimum, 0, 3);
    samples.push_back({numbers[0], readProblem(line), numbers[2], optimum.substr(optimum.rfind(',') + 1)});
  }
  return samples;
}

inline std::string sharedFolder(const char* otherwise) {
  const char* chosen = std::getenv("SHARED_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

}  // namespace roundhouse::test
