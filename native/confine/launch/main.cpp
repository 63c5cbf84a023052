// only-files [--list PATH | --folders PATH | --read PATH | --create PATH | --write PATH]… -- PROGRAM ARGUMENT…
// Becomes the program, which may open nothing else. Where the kernel can't see to that the program runs all the same: an
// engine finds out by itself, and says so or ends (ROUNDHOUSE_ENGINE_CONFINEMENT). Where it has the means and they failed, the
// reason is told here, and to it in ONLY_FILES_FAILURE.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "files.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kNotFound = 127;
/// lib/only-files.ts reads it.
constexpr const char* kFailure = "ONLY_FILES_FAILURE";

int usage() {
  std::fputs("only-files [--list PATH | --folders PATH | --read PATH | --create PATH | --write PATH]... -- PROGRAM ARGUMENT...\n",
             stderr);
  return kUsage;
}

std::vector<std::string>* paths_of(roundhouse::confine::Files& files, const std::string& word) {
  if (word == "--list") return &files.list;
  if (word == "--folders") return &files.folders;
  if (word == "--read") return &files.read;
  if (word == "--create") return &files.create;
  return word == "--write" ? &files.write : nullptr;
}

void limit(const roundhouse::confine::Files& files) {
  unsetenv(kFailure);
  const int failure = roundhouse::confine::limit_files(files);
  if (failure == 0 || failure == ENOSYS) return;
  const char* const reason = std::strerror(failure);
  std::fprintf(stderr, "only-files: files can't be closed: %s\n", reason);
  setenv(kFailure, reason, 1);
}

}  // namespace

int main(int count, char** words) {
  roundhouse::confine::Files files;
  int at = 1;
  for (; at + 1 < count && std::strcmp(words[at], "--") != 0; at += 2) {
    std::vector<std::string>* paths = paths_of(files, words[at]);
    if (paths == nullptr) return usage();
    paths->emplace_back(words[at + 1]);
  }
  if (at + 1 >= count || std::strcmp(words[at], "--") != 0) return usage();
  limit(files);
  char** program = words + at + 1;
  execvp(*program, program);
  std::fprintf(stderr, "only-files: %s: %s\n", *program, std::strerror(errno));
  return kNotFound;
}
