// The reader of the core's config messages and of the repository's small files.
#include <stdexcept>

#include "../../cuda/backend/json.hpp"
#include "check.hpp"
#include "error_of.hpp"

namespace {

using roundhouse::test::errorOf;
using roundhouse::backend::Json;
using roundhouse::backend::parseJson;

void checkValues() {
  const Json json =
      parseJson(R"( {"a":[1,-2.5e3,"x\n\u0041\"\\"],"b":{"c":true,"d":null},"e":"9223372036854775807","e2":{}} )");
  CHECK_EQUAL(json.at("a").list.size(), 3u);
  CHECK_EQUAL(json.at("a").list[0].integer(), 1);
  CHECK_EQUAL(json.at("a").list[1].text, "-2.5e3");
  CHECK_EQUAL(json.at("a").list[2].text, "x\nA\"\\");
  CHECK(json.at("b").at("c").boolean);
  CHECK(json.at("b").at("d").kind == Json::Kind::null);
  CHECK_EQUAL(json.at("e").integer(), 9223372036854775807LL);
  CHECK(json.at("absent").at("deeper").kind == Json::Kind::null);
}

void checkFaults() {
  const auto refusal = [](const std::string& text) { return errorOf([&] { parseJson(text); }); };
  CHECK_EQUAL(refusal(""), "JSON, byte 0: not a value");
  CHECK_EQUAL(refusal("{\"a\" 1}"), "JSON, byte 5: expected ':'");
  CHECK_EQUAL(refusal("[1,]"), "JSON, byte 3: not a value");
  CHECK_EQUAL(refusal("[1"), "JSON, byte 2: expected ']'");
  CHECK_EQUAL(refusal("\"abc"), "JSON, byte 4: a string without end");
  CHECK_EQUAL(refusal("\"\\q\""), "JSON, byte 3: an unknown escape");
  CHECK_EQUAL(refusal("\"\\u20ac\""), "JSON, byte 3: only ASCII escapes are read here");
  CHECK_EQUAL(refusal("1 2"), "JSON, byte 2: text after the value");
  CHECK_EQUAL(refusal(std::string(100, '[')), "JSON, byte 65: nested too deeply");
  CHECK_EQUAL(errorOf([] { parseJson("1.5").integer(); }), "'1.5' is not an integer");
}

}  // namespace

int main() {
  checkValues();
  checkFaults();
  return roundhouse::test::finish();
}
