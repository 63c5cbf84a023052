#include "json.hpp"

#include <charconv>
#include <stdexcept>

namespace roundhouse::backend {
namespace {

constexpr int kMaxDepth = 64;

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  Json document() {
    Json value = element(0);
    skipSpace();
    if (at_ != source_.size()) fail("text after the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error("JSON, byte " + std::to_string(at_) + ": " + reason);
  }

  void skipSpace() {
    while (at_ < source_.size() && std::string_view(" \t\r\n").find(source_[at_]) != std::string_view::npos) ++at_;
  }

  char peek() {
    skipSpace();
    return at_ < source_.size() ? source_[at_] : '\0';
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail(std::string("expected '") + wanted + "'");
  }

  Json element(int depth) {
    if (depth > kMaxDepth) fail("nested too deeply");
    switch (peek()) {
      case '{': return object(depth);
      case '[': return list(depth);
      case '"': return Json{.kind = Json::Kind::text, .text = quoted(), .list = {}, .members = {}};
      default: return scalar();
    }
  }

  Json object(int depth) {
    Json value;
    value.kind = Json::Kind::object;
    expect('{');
    if (take('}')) return value;
    do {
      if (peek() != '"') fail("expected a name");
      std::string name = quoted();
      expect(':');
      value.members.insert_or_assign(std::move(name), element(depth + 1));
    } while (take(','));
    expect('}');
    return value;
  }

  Json list(int depth) {
    Json value;
    value.kind = Json::Kind::list;
    expect('[');
    if (take(']')) return value;
    do value.list.push_back(element(depth + 1));
    while (take(','));
    expect(']');
    return value;
  }

  Json scalar() {
    const std::size_t start = at_;
    while (at_ < source_.size() && std::string_view(",]} \t\r\n").find(source_[at_]) == std::string_view::npos) ++at_;
    const std::string_view word = source_.substr(start, at_ - start);
    Json value;
    if (word == "null") return value;
    if (word == "true" || word == "false") {
      value.kind = Json::Kind::boolean;
      value.boolean = word == "true";
      return value;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) fail("not a value");
    value.kind = Json::Kind::number;
    value.text = word;
    return value;
  }

  std::string quoted() {
    expect('"');
    std::string text;
    while (at_ < source_.size() && source_[at_] != '"') text += source_[at_] == '\\' ? escaped() : source_[at_++];
    if (at_ >= source_.size()) fail("a string without end");
    ++at_;
    return text;
  }

  char escaped() {
    ++at_;
    const char kind = at_ < source_.size() ? source_[at_++] : '\0';
    switch (kind) {
      case '"':
      case '\\':
      case '/': return kind;
      case 'b': return '\b';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case 'u': return asciiEscape();
      default: fail("an unknown escape");
    }
  }

  char asciiEscape() {
    unsigned code = 0;
    const std::string_view digits = source_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4 || code > 0x7f) {
      fail("only ASCII escapes are read here");
    }
    at_ += 4;
    return static_cast<char>(code);
  }

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

const Json& Json::at(const std::string& name) const {
  static const Json absent;
  const auto found = members.find(name);
  return found == members.end() ? absent : found->second;
}

long long Json::integer() const {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("'" + text + "' is not an integer");
  }
  return value;
}

Json parseJson(std::string_view source) { return Reader(source).document(); }

}  // namespace roundhouse::backend
