// What take_parameters passes on, keeps for admission and refuses.
#include "request_parameters.hpp"

#include <functional>

#include "check.hpp"

namespace {

using namespace roundhouse;
using shm::Parameter;

std::string refusal_of(std::vector<Parameter> parameters) {
  RequestSpec spec;
  try {
    take_parameters(spec, std::move(parameters));
    return "none";
  } catch (const TritonFailure& failure) {
    return failure.code + " " + failure.what();
  }
}

void test_kept() {
  RequestSpec spec;
  take_parameters(spec, {{"priority", std::int64_t{3}}, {"fail", "now"}, {"timeout", std::int64_t{500}}, {"x", 0.5}});
  CHECK_EQUAL(spec.priority, 3U);
  CHECK_EQUAL(spec.timeout_us, 500U);
  CHECK_EQUAL(spec.parameters.size(), 2U);
  CHECK_EQUAL(spec.parameters[0].key, "fail");
  CHECK_EQUAL(std::get<double>(spec.parameters[1].value), 0.5);
}

void test_refused() {
  const std::string nul("a\0b", 3);
  CHECK_EQUAL(refusal_of({{"", true}}), "INVALID_ARG parameters[\"\"]: an empty name");
  CHECK_EQUAL(refusal_of({{nul, true}}), "INVALID_ARG parameters[\"a?b\"]: a name with a NUL");
  CHECK_EQUAL(refusal_of({{"a", nul}}), "INVALID_ARG parameters[\"a\"]: a text with a NUL");
  CHECK_EQUAL(refusal_of({{"a", true}, {"a", true}}), "INVALID_ARG parameters[\"a\"]: stands there twice");
  CHECK_EQUAL(refusal_of({{"triton_x", true}}),
              "INVALID_ARG parameters[\"triton_x\"]: names that begin with triton_ are reserved");
  CHECK_EQUAL(refusal_of({{"sequence_id", std::int64_t{1}}}),
              "INVALID_ARG parameters[\"sequence_id\"]: sequences are not supported");
  const char* timeout = "INVALID_ARG parameters[\"timeout\"]: must be a whole number, 0 or above";
  CHECK_EQUAL(refusal_of({{"priority", "high"}}),
              "INVALID_ARG parameters[\"priority\"]: must be a whole number, 0 or above");
  CHECK_EQUAL(refusal_of({{"timeout", std::int64_t{-1}}}), timeout);
  CHECK_EQUAL(refusal_of({{"timeout", 1.0}}), timeout);
}

void test_bounds() {
  std::vector<Parameter> many;
  for (int i = 0; i < 64; ++i) many.push_back({std::to_string(i), true});
  CHECK_EQUAL(refusal_of(many), "none");
  many.push_back({"one", true});
  CHECK_EQUAL(refusal_of(many), "INVALID_ARG parameters: more than 64 of them");
  const std::string longest(128, 'k');
  CHECK_EQUAL(refusal_of({{longest, true}}), "none");
  const std::string refused = refusal_of({{longest + "k", true}});
  CHECK(refused.ends_with(": a name of more than 128 bytes"));
  CHECK(refused.size() < 200);
  // "a" and 16,383 bytes of text are 16,384 together.
  CHECK_EQUAL(refusal_of({{"a", std::string(16'383, 'x')}}), "none");
  CHECK_EQUAL(refusal_of({{"a", std::string(16'384, 'x')}}),
              "INVALID_ARG parameters[\"a\"]: with it there are more than 16384 bytes of parameters");
}

}  // namespace

int main() {
  test_kept();
  test_refused();
  test_bounds();
  return test::finish();
}
