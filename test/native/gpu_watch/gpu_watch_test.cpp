// The watch over GPUs against a driver that can be broken at will, as no real one can.
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "check.hpp"
#include "fake_driver.hpp"
#include "gpu_driver.hpp"
#include "gpu_watch.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using namespace std::chrono_literals;

constexpr int kIllegalAddress = 700;
constexpr int kLost = 15;

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
  return condition();
}

struct Told {
  std::mutex mutex;
  std::string text;
  std::atomic<int> times{0};

  std::function<void(const std::string&)> listener() {
    return [this](const std::string& reason) {
      const std::lock_guard lock(mutex);
      text = reason;
      ++times;
    };
  }
};

void describe() {
  const auto gpus = visible_gpus();
  if (!CHECK_EQUAL(gpus.size(), 2U)) return;
  CHECK_EQUAL(gpus[1].name, "Fake 1");
  CHECK_EQUAL(gpus[1].bus_id, "0000:01:00.0");
  CHECK_EQUAL(gpus[1].capability_major, 9);
  CHECK_EQUAL(gpus[1].memory_bytes, std::size_t{1} << 30);
}

/// A context is never made by the watch, only looked at from when there is one.
void wait_for_use() {
  Told told;
  GpuWatch watch(1ms, told.listener());
  std::this_thread::sleep_for(30ms);
  CHECK_EQUAL(fake_copies(), 0);
  fake_use();
  CHECK(comes_true([] { return fake_copies() > 3; }));
  CHECK_EQUAL(told.times.load(), 0);
}

/// Work that runs for long, and too little memory, are no faults.
void bear_with(int result) {
  Told told;
  GpuWatch watch(1ms, told.listener());
  fake_context_answer(result);
  std::this_thread::sleep_for(30ms);
  CHECK_EQUAL(told.times.load(), 0);
  const int copies = fake_copies();
  fake_context_answer(0);
  CHECK(comes_true([&] { return fake_copies() > copies; }));
}

void notice_broken_context() {
  Told told;
  GpuWatch watch(1ms, told.listener());
  fake_context_answer(kIllegalAddress);
  CHECK(comes_true([&] { return told.times == 1; }));
  CHECK_EQUAL(told.text, "GPU 0: an illegal memory access was encountered");
  std::this_thread::sleep_for(20ms);
  CHECK_EQUAL(told.times.load(), 1);  // once
  fake_context_answer(0);
}

void notice_lost_gpu() {
  Told told;
  GpuWatch watch(1ms, told.listener());
  fake_presence_answer(kLost);
  CHECK(comes_true([&] { return told.times == 1; }));
  CHECK_EQUAL(told.text, "the GPU at 0000:00:00.0 is lost");
  fake_presence_answer(0);
}

}  // namespace

int main() {
  fake_gpus(2);
  describe();
  wait_for_use();
  bear_with(GpuDriver::kNotReady);
  bear_with(GpuDriver::kNoMemory);
  notice_broken_context();
  notice_lost_gpu();
  CHECK_EQUAL(fake_pushed(), 0);
  return finish();
}
