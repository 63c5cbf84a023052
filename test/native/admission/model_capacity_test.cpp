// What is read of the core's configurations and metadata of models.
#include "model_capacity.hpp"

#include "admission.hpp"
#include "check.hpp"
#include "core_api.hpp"
#include "failure_code.hpp"

namespace {

using namespace roundhouse;
using roundhouse::test::code_of;

void check_next_batches() {
  // 2 + 3 · 2 instances with batches of 4.
  CHECK_EQUAL(next_batches(R"({"max_batch_size":4,"instance_group":[{"count":2,"gpus":[]},{"count":3,"gpus":[0,1]}]})"),
              32);
  // No batches; a count that isn't there is one instance.
  CHECK_EQUAL(next_batches(R"({"max_batch_size":0,"instance_group":[{}]})"), 1);
  CHECK_EQUAL(next_batches(R"({"platform":"ensemble","instance_group":[]})"), kUnbounded);
}

void check_latest_version() {
  CHECK_EQUAL(latest_version(R"({"name":"m","versions":["1","12","3"]})"), 12);
  CHECK_EQUAL(latest_version(R"({"versions":["7"]})"), 7);
  CHECK_EQUAL(latest_version(R"({"versions":[]})"), -1);
  CHECK_EQUAL(latest_version(R"({"name":"m"})"), -1);
}

void check_what_is_neither() {
  for (const char* text : {"", "{", "no", R"({"versions":["one"]})", R"({"versions":[{}]})"}) {
    CHECK_EQUAL(code_of([&] { latest_version(text); }), "INTERNAL");
  }
  for (const char* text : {"", "[", R"({"max_batch_size":"x","instance_group":[{}]})"}) {
    CHECK_EQUAL(code_of([&] { next_batches(text); }), "INTERNAL");
  }
}

}  // namespace

int main() {
  check_next_batches();
  check_latest_version();
  check_what_is_neither();
  return roundhouse::test::finish();
}
