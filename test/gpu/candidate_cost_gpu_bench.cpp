// candidate_cost_gpu_bench [--out FILE] [--models DIR] [--backends DIR] [--seconds S] [--candidates N] [--shards DIR]
//   [--anyway 1] [--ways 1]
// Shards through TritonCore in this process: ETR and OR in one pass on the GPU, against two calls with the host in
// between, against the CPU's instances in the same run. `--shards` writes the tensors of the shards there, for other
// clients. `--ways` compares ways to make one pass instead (kWays). Needs a GPU: without one it says so and exits with 77, unless `--anyway 1` tries the program on the CPU.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "cost_bench/measure.hpp"
#include "cost_bench/phases.hpp"
#include "cost_bench/report.hpp"
#include "cost_bench/repository.hpp"
#include "cost_bench/two_calls.hpp"
#include "cost_bench/ways.hpp"
#include "finish_and_exit.hpp"
#include "onnx_network.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using candidate_cost::ShardValues;
namespace layout = candidate_cost::layout;

struct Settings {
  std::string out;
  std::string models = "models";
  std::string backends = "build/cuda/backends";
  std::string shards;
  double seconds = 1.0;
  int candidates = 4096;
  bool anyway = false;
  bool ways = false;
};

constexpr int kMostConcurrency = 16;

/// A zone in the evening: 160 open orders, 60 couriers with up to two orders, bundles of one or two.
ShardShape cityShape(int candidates) {
  ShardShape shape;
  shape.couriers = 60;
  shape.orders = 160;
  shape.candidates = candidates;
  shape.mostBundle = 2;
  shape.strange = false;
  return shape;
}

/// The same with up to six orders in a plan.
ShardShape deepShape(int candidates) {
  ShardShape shape = cityShape(candidates);
  shape.mostHeld = shape.mostBundle = 3;
  return shape;
}

std::vector<ShardValues> shardsOf(const ShardShape& shape) {
  Random random{4096};
  std::vector<ShardValues> shards;
  for (int index = 0; index < kMostConcurrency; ++index) shards.push_back(randomShard(random, shape));
  return shards;
}

template <typename Make>
std::vector<Rate> ratesOf(TritonHost& host, const std::vector<ShardValues>& shards, double seconds, const Make& make) {
  std::vector<decltype(make(shards[0]))> ways;
  for (const ShardValues& shard : shards) ways.push_back(make(shard));
  for (const auto& way : ways) way->infer();
  std::vector<Rate> rates;
  for (const int concurrency : {1, 4, kMostConcurrency}) {
    host.setSpin(std::chrono::microseconds(concurrency <= 4 ? 2000 : 0));
    rates.push_back(measure(ways, concurrency, seconds));
  }
  return rates;
}

double best(const std::vector<Rate>& rates) {
  double most = 0;
  for (const Rate& rate : rates) most = std::max(most, rate.shardsPerSecond);
  return most;
}

/// Plan records of one pass that are those of the two ways of two calls, for one shard.
std::string agreement(TritonHost& host, const ShardValues& values) {
  ShardCall onePass(host, "candidate_cost", values, true);
  TablesTwice tables(host, "candidate_cost", values, true);
  PlannerAfter planner(host, values, true);
  onePass.infer();
  tables.infer();
  planner.infer();
  std::size_t sameTables = 0, samePlanner = 0;
  for (std::size_t row = 0; row < onePass.candidates; ++row) {
    const std::size_t at = layout::PLAN_RECORD_BYTES * row;
    sameTables += std::memcmp(onePass.plans + at, tables.cost.plans + at, layout::PLAN_RECORD_BYTES) == 0;
    samePlanner += std::memcmp(onePass.plans + at, planner.plans.data() + at, layout::PLAN_RECORD_BYTES) == 0;
  }
  std::ostringstream text;
  text << "{\"candidates\": " << onePass.candidates << ", \"sameWithTables\": " << sameTables
       << ", \"sameWithPlanner\": " << samePlanner << "}";
  return text.str();
}

std::string sizesOf(const ShardValues& values) {
  std::vector<int> plans(layout::MAX_PLAN_ORDERS + 1);
  const auto columns = static_cast<std::size_t>(values.params[layout::Param::candidateColumns]);
  for (std::size_t at = 0; at < values.candidates.size(); at += columns) {
    const std::size_t courier = layout::COURIER_COLUMNS * std::size_t{values.candidates[at]};
    int orders = values.couriers[courier + layout::CourierColumn::heldCount];
    for (std::size_t column = 1; column < columns; ++column) orders += values.candidates[at + column] != layout::NO_ROW;
    ++plans[static_cast<std::size_t>(orders)];
  }
  std::ostringstream text;
  text << "[";
  for (std::size_t orders = 0; orders < plans.size(); ++orders) text << (orders == 0 ? "" : ", ") << plans[orders];
  return text.str() + "]";
}

void compare(TritonHost& host, const Settings& settings, Report& report) {
  const std::vector<ShardValues> shards = shardsOf(cityShape(settings.candidates));
  report.add("candidates", std::to_string(settings.candidates));
  report.add("plansByOrders", sizesOf(shards[0]));
  report.add("agreement", agreement(host, shards[0]));
  const auto pass = [&](const std::string& model, bool pinned) {
    return ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
      return std::make_unique<ShardCall>(host, model, shard, pinned);
    });
  };
  const auto onePass = pass("candidate_cost", true);
  report.add("onePass", onePass, settings.candidates);
  report.add("onePassPageable", pass("candidate_cost", false), settings.candidates);
  report.add("onePassOneInstance", pass("cost_1", true), settings.candidates);
  report.add("onePassFourInstances", pass("cost_4", true), settings.candidates);
  const auto tables = ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
    return std::make_unique<TablesTwice>(host, "candidate_cost", shard, true);
  });
  report.add("twoCallsTables", tables, settings.candidates);
  const auto planner = ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
    return std::make_unique<PlannerAfter>(host, shard, true);
  });
  report.add("twoCallsPlanner", planner, settings.candidates);
  report.add("onePassOnCpu", pass("cost_cpu", false), settings.candidates);
  std::ostringstream ratios;
  ratios << "{\"overTables\": " << best(onePass) / best(tables) << ", \"overPlanner\": " << best(onePass) / best(planner)
         << "}";
  report.add("throughputOfOnePass", ratios.str());
  std::printf("one pass over two calls: %s\n", ratios.str().c_str());
}

void otherShapes(TritonHost& host, const Settings& settings, Report& report) {
  const auto pass = [&](const std::string& name, const ShardShape& shape) {
    const std::vector<ShardValues> shards = shardsOf(shape);
    report.add(name + "PlansByOrders", sizesOf(shards[0]));
    report.add(name, ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
                 return std::make_unique<ShardCall>(host, "candidate_cost", shard, true);
               }), shape.candidates);
  };
  pass("small", cityShape(512));
  pass("large", cityShape(32768));
  pass("deep", deepShape(settings.candidates));
}

void addPhases(const Settings& settings, Report& report) {
  const std::string file = settings.models + "/delivery_time/1/model.onnx";
  const auto reference = delivery_time::loadNetwork(file, "");
  delivery_time::DeviceNetworkOptions options;
  options.file = file;
  options.reference = reference.get();
  const auto network = delivery_time::loadDeviceNetwork(options);
  const auto add = [&](const std::string& how, int shards, const GpuCosts::Options& way) {
    std::ostringstream text;
    double sum = 0;
    for (const Phase& phase : phasesOf(network->context(), cityShape(settings.candidates), shards, 100, way)) {
      text << (sum == 0 ? "{" : ", ") << "\"" << phase.name << "\": " << phase.medianUs;
      sum += phase.medianUs;
    }
    std::printf("phases of a batch of %d, %s, us: %s}, in all %.0f\n", shards, how.c_str(), text.str().c_str(), sum);
    // Events between the phases make them longer.
    report.add("phasesUsOfBatchOf" + std::to_string(shards) + "_" + how, text.str() + "}");
  };
  for (const int shards : {1, 2, 8}) {
    add("shipped", shards, {});
    if (!settings.ways) continue;
    for (const Way& way : kWays) {
      GpuCosts::Options options;
      options.buildLanes = way.buildLanes;
      add(way.name, shards, options);
    }
  }
}

void writeShards(const Settings& settings) {
  std::filesystem::create_directories(settings.shards);
  int number = 0;
  for (const ShardValues& shard : shardsOf(cityShape(settings.candidates))) {
    const auto write = [&](const char* name, const auto& values) {
      std::ofstream file(settings.shards + "/" + std::to_string(number) + "." + name, std::ios::binary);
      const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(values[0]));
      file.write(reinterpret_cast<const char*>(values.data()), bytes);
    };
    write("params", shard.params);
    write("couriers", shard.couriers);
    write("held", shard.held);
    write("orders", shard.orders);
    write("places", shard.places);
    write("order_features", shard.orderFeatures);
    write("candidates", shard.candidates);
    ++number;
  }
}

Settings readSettings(int argc, char** argv) {
  Settings settings;
  for (int at = 1; at + 1 < argc; at += 2) {
    const std::string key = argv[at];
    const char* value = argv[at + 1];
    if (key == "--out") settings.out = value;
    else if (key == "--models") settings.models = value;
    else if (key == "--backends") settings.backends = value;
    else if (key == "--shards") settings.shards = value;
    else if (key == "--seconds") settings.seconds = std::atof(value);
    else if (key == "--anyway") settings.anyway = true;
    else if (key == "--ways") settings.ways = std::string(value) != "0";
    else if (key == "--candidates") settings.candidates = std::atoi(value);
    else throw std::runtime_error("unknown option " + key);
  }
  return settings;
}

/// Each way, and the two calls that it is to beat.
void compareWays(const Settings& settings, Report& report) {
  BenchRepository repository(settings.models);
  const std::vector<ShardValues> shards = shardsOf(cityShape(settings.candidates));
  TritonHost host({.repository = repository.path, .backends = settings.backends});
  host.load("delivery_time");
  for (const Way& way : kWays) {
    const std::string name = std::string("build_") + way.name;
    repository.add(name, "{ kind: KIND_AUTO count: 2 }", way.parameters());
    host.load(name);
    report.add(name, ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
                 return std::make_unique<ShardCall>(host, name, shard, true);
               }), settings.candidates);
    report.add(name + "_twoCalls", ratesOf(host, shards, settings.seconds, [&](const ShardValues& shard) {
                 return std::make_unique<TablesTwice>(host, name, shard, true);
               }), settings.candidates);
  }
}

void compareAll(const Settings& settings, Report& report) {
  BenchRepository repository(settings.models);
  repository.add("cost_1", "{ kind: KIND_AUTO count: 1 }");
  repository.add("cost_4", "{ kind: KIND_AUTO count: 4 }");
  const std::string cores = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  repository.add("cost_cpu", "{ kind: KIND_CPU count: " + cores + " }");
  TritonHost host({.repository = repository.path, .backends = settings.backends, .logInfo = true});
  for (const char* model : {"delivery_time", "route_planner", "candidate_cost", "cost_1", "cost_4", "cost_cpu"}) {
    host.load(model);
  }
  compare(host, settings, report);
  otherShapes(host, settings, report);
}

void run(const Settings& settings) {
  Report report;
  if (settings.ways) {
    compareWays(settings, report);
  } else {
    compareAll(settings, report);
  }
  if (device::deviceCount() > 0) addPhases(settings, report);
  if (!settings.out.empty()) std::ofstream(settings.out) << report.json();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = readSettings(argc, argv);
    if (!settings.shards.empty()) writeShards(settings);
    if (device::deviceCount() == 0 && !settings.anyway) {
      std::printf("SKIPPED: no GPU\n");
      return 77;
    }
    run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fflush(stdout);
  _exit(0);
}
