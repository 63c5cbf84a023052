#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace roundhouse::backend {

/// A JSON value as the core and the repository's small files use it. Numbers keep their text, so 64-bit
/// integers stay exact.
struct Json {
  enum class Kind { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  bool boolean = false;
  /// The text of a string, or the digits of a number.
  std::string text;
  std::vector<Json> list;
  std::map<std::string, Json> members;

  /// The member of that name; a null value where there is none.
  const Json& at(const std::string& name) const;
  /// A number, or a string of digits as protobuf writes 64-bit integers. Throws std::runtime_error.
  long long integer() const;
};

/// Throws std::runtime_error with the byte offset of what is wrong.
Json parseJson(std::string_view source);

}  // namespace roundhouse::backend
