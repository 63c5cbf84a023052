#include "model_retirement.hpp"

#include <malloc.h>

#include <array>
#include <cstdlib>

#include "thread_grace.hpp"

namespace roundhouse {
namespace {

constexpr auto look_again = std::chrono::milliseconds(5);
// The core deletes what was let go in a thread of its own; after so long it is done, on a busy machine by the second
// time.
constexpr std::array until_deleted{std::chrono::milliseconds(100), std::chrono::milliseconds(500)};
// Names of models that callers made up don't pile up.
constexpr std::size_t kMostNames = 1024;

// The numbers in `"versions":["1","2"]` of a model's metadata: its versions that are ready.
std::vector<std::int64_t> versions_in(const std::string& metadata) {
  std::vector<std::int64_t> versions;
  const std::string key = "\"versions\":[";
  const std::size_t start = metadata.find(key);
  if (start == std::string::npos) return versions;
  const std::size_t end = metadata.find(']', start);
  for (std::size_t at = start + key.size(); at < end; at = metadata.find(',', at) + 1) {
    versions.push_back(std::strtoll(metadata.c_str() + at + 1, nullptr, 10));
    if (metadata.find(',', at) > end) break;
  }
  return versions;
}

}  // namespace

ModelRetirement::~ModelRetirement() { finish(); }

ModelTicket ModelRetirement::enter(const std::string& model) {
  const std::lock_guard lock(uses_mutex_);
  if (uses_.size() >= kMostNames && uses_.count(model) == 0) {
    std::erase_if(uses_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  ModelTicket& use = uses_[model];
  if (!use) use = std::make_shared<const ModelUse>();
  return use;
}

void ModelRetirement::around(TRITONSERVER_Server* server, const std::string& model,
                             const std::function<void()>& change) {
  const std::lock_guard one_at_a_time(changing_);
  std::vector<TRITONSERVER_InferenceRequest*> references = hold(server, model);
  try {
    change();
  } catch (const TritonFailure&) {
    retire(model, std::move(references));
    throw;
  }
  retire(model, std::move(references));
}

// A model that isn't there has none.
std::vector<TRITONSERVER_InferenceRequest*> ModelRetirement::hold(TRITONSERVER_Server* server,
                                                                  const std::string& model) {
  std::vector<TRITONSERVER_InferenceRequest*> references;
  TRITONSERVER_Message* message = nullptr;
  if (TRITONSERVER_Error* error = api_.ServerModelMetadata(server, model.c_str(), -1, &message)) {
    api_.ErrorDelete(error);
    return references;
  }
  for (const std::int64_t version : versions_in(api_.json(message))) {
    TRITONSERVER_InferenceRequest* reference = nullptr;
    if (TRITONSERVER_Error* error = api_.InferenceRequestNew(&reference, server, model.c_str(), version)) {
      api_.ErrorDelete(error);
    } else {
      references.push_back(reference);
    }
  }
  return references;
}

// Requests that begin from now on find what serves after the change, and hold another use.
void ModelRetirement::retire(const std::string& model, std::vector<TRITONSERVER_InferenceRequest*> references) {
  ModelTicket use = std::make_shared<const ModelUse>();
  {
    const std::lock_guard lock(uses_mutex_);
    use.swap(uses_[model]);
  }
  if (references.empty()) return;
  const std::lock_guard lock(mutex_);
  retired_.push_back({std::move(use), std::move(references)});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  woken_.notify_one();
}

void ModelRetirement::run() {
  std::unique_lock lock(mutex_);
  std::size_t tidied = until_deleted.size();
  for (;;) {
    const auto wanted = [this] { return finishing_ || !retired_.empty(); };
    if (tidied < until_deleted.size() && !woken_.wait_for(lock, until_deleted[tidied], wanted)) {
      ++tidied;
      lock.unlock();
      malloc_trim(0);
      lock.lock();
      continue;
    }
    woken_.wait(lock, wanted);
    const std::vector<Retired> unused = take_unused();
    if (unused.empty()) {
      if (retired_.empty()) return;
      woken_.wait_for(lock, look_again);
      continue;
    }
    letting_go_ = unused.size();
    lock.unlock();
    wait_for_threads();
    for (const Retired& retired : unused) let_go(retired);
    lock.lock();
    letting_go_ = 0;
    tidied = 0;
  }
}

std::vector<ModelRetirement::Retired> ModelRetirement::take_unused() {
  std::vector<Retired> unused;
  for (auto next = retired_.begin(); next != retired_.end();) {
    const bool over = finishing_ || !next->use || next->use.use_count() == 1;
    if (!over) {
      ++next;
      continue;
    }
    unused.push_back(std::move(*next));
    next = retired_.erase(next);
  }
  return unused;
}

// Twice, since one that slept may have waited for a lock on its way. A thread that computes for seconds without a
// pause is one of a model's own: it isn't waited for beyond the bound.
void ModelRetirement::wait_for_threads() {
  constexpr auto longest = std::chrono::seconds(2);
  const Clock::time_point end = Clock::now() + longest;
  for (int round = 0; round < 2; ++round) {
    ThreadGrace grace;
    do std::this_thread::sleep_for(look_again);
    while (!grace.passed() && Clock::now() < end);
  }
}

void ModelRetirement::let_go(const Retired& retired) {
  for (TRITONSERVER_InferenceRequest* reference : retired.references) {
    if (TRITONSERVER_Error* error = api_.InferenceRequestDelete(reference)) api_.ErrorDelete(error);
  }
}

void ModelRetirement::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    woken_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::size_t ModelRetirement::held() {
  const std::lock_guard lock(mutex_);
  return retired_.size() + letting_go_;
}

}  // namespace roundhouse
