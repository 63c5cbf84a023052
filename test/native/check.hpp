#pragma once

#include <cstdio>
#include <sstream>
#include <string>

/// Counts of one test executable. `finish` prints the last line and gives the exit status.
namespace roundhouse::test {

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

inline Counts& counts() {
  static Counts all;
  return all;
}

inline bool check(bool holds, const char* file, int line, const std::string& what) {
  if (holds) {
    ++counts().passed;
  } else {
    ++counts().failed;
    std::printf("FAILED %s:%d: %s\n", file, line, what.c_str());
  }
  return holds;
}

template <typename A, typename B>
bool checkEqual(const A& actual, const B& expected, const char* file, int line, const std::string& what) {
  std::ostringstream text;
  text << what << ": got " << actual << ", expected " << expected;
  return check(actual == expected, file, line, text.str());
}

inline void skip(const std::string& reason) {
  ++counts().skipped;
  std::printf("SKIPPED: %s\n", reason.c_str());
}

inline int finish() {
  std::printf("%d passed, %d failed, %d skipped\n", counts().passed, counts().failed, counts().skipped);
  return counts().failed == 0 ? 0 : 1;
}

}  // namespace roundhouse::test

#define CHECK(condition) roundhouse::test::check((condition), __FILE__, __LINE__, #condition)
#define CHECK_THAT(condition, what) roundhouse::test::check((condition), __FILE__, __LINE__, (what))
#define CHECK_EQUAL(actual, expected) \
  roundhouse::test::checkEqual((actual), (expected), __FILE__, __LINE__, #actual)
