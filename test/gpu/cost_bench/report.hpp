#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "measure.hpp"

namespace roundhouse::test {

/// The measurements as JSON and as lines for people.
class Report {
 public:
  Report() { json_ << "{\n"; }

  void add(const std::string& key, const std::string& json) { json_ << "  \"" << key << "\": " << json << ",\n"; }
  void add(const std::string& way, const std::vector<Rate>& rates, int candidates) {
    std::ostringstream text;
    text << "[";
    for (const Rate& rate : rates) {
      std::printf("%-22s %2d under way: %9.0f shards/s %7.1f M candidates/s, %8.0f us p50 %8.0f p99\n", way.c_str(),
                  rate.concurrency, rate.shardsPerSecond, rate.shardsPerSecond * candidates / 1e6, rate.p50Us, rate.p99Us);
      text << (&rate == rates.data() ? "" : ", ") << "{\"concurrency\": " << rate.concurrency
           << ", \"shardsPerSecond\": " << rate.shardsPerSecond
           << ", \"candidatesPerSecond\": " << rate.shardsPerSecond * candidates << ", \"p50Us\": " << rate.p50Us
           << ", \"p99Us\": " << rate.p99Us << "}";
    }
    std::fflush(stdout);
    add(way, text.str() + "]");
  }
  std::string json() const { return json_.str() + "  \"unit\": \"a shard\"\n}\n"; }

 private:
  std::ostringstream json_;
};

}  // namespace roundhouse::test
