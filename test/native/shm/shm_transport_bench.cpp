// Two processes, one segment: a descriptor of 256 bytes there and back over a Unix socket or over rings with
// eventfds, the payload copied into a slot by one and into another slot by the other. One JSON line a case.
//   shm_transport_bench [seconds a case]
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "layout.hpp"
#include "lease_socket.hpp"
#include "ring.hpp"
#include "segment.hpp"

namespace {

using namespace roundhouse::shm;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kDescriptor = 256;
constexpr std::uint64_t kSlot = 4ULL << 20;
constexpr int kMostInFlight = 16;

struct Descriptor {
  std::uint64_t slot;
  std::uint64_t bytes;
  Clock::time_point sent;
};

void wait_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  poll(&watched, 1, -1);
}

class Transport {
 public:
  virtual ~Transport() = default;
  virtual void send(const Bytes& frame) = 0;
  virtual void receive(Bytes& frame) = 0;
};

class SocketTransport : public Transport {
 public:
  explicit SocketTransport(int fd) : fd_(fd) {}
  void send(const Bytes& frame) override { (void)!::send(fd_, frame.data(), frame.size(), 0); }
  void receive(Bytes& frame) override {
    frame.resize(kDescriptor);
    while (recv(fd_, frame.data(), frame.size(), MSG_DONTWAIT) < 0) wait_readable(fd_);
  }

 private:
  int fd_;
};

class RingTransport : public Transport {
 public:
  RingTransport(RingProducer out, RingConsumer in, int event) : out_(out), in_(in), event_(event) {}
  void send(const Bytes& frame) override {
    while (!out_.push(frame)) {
    }
  }
  void receive(Bytes& frame) override {
    while (!in_.pop(frame)) {
      if (!in_.fall_asleep()) continue;
      wait_readable(event_);
      in_.wake_up();
    }
  }

 private:
  RingProducer out_;
  RingConsumer in_;
  int event_;
};

struct Shared {
  Layout layout{65536, {{kSlot, 2 * kMostInFlight}}};
  Segment segment = Segment::create(layout.total_bytes());
  OwnedFd request_event = make_event();
  OwnedFd answer_event = make_event();
  int sockets[2];
  Shared() { (void)!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets); }
  std::byte* slot(std::uint64_t number) {
    return segment.data() + layout.slot_offset(static_cast<std::uint32_t>(number));
  }
  std::unique_ptr<Transport> ring(bool client) {
    std::byte* base = segment.data();
    const auto requests = base + Layout::request_control();
    const auto answers = base + Layout::answer_control();
    std::byte* request_data = base + Layout::request_ring();
    std::byte* answer_data = base + layout.answer_ring();
    const std::uint64_t bytes = layout.ring_bytes();
    if (client) {
      return std::make_unique<RingTransport>(RingProducer(requests, request_data, bytes, request_event.get()),
                                             RingConsumer(answers, answer_data, bytes, answer_event.get()),
                                             answer_event.get());
    }
    return std::make_unique<RingTransport>(RingProducer(answers, answer_data, bytes, answer_event.get()),
                                           RingConsumer(requests, request_data, bytes, request_event.get()),
                                           request_event.get());
  }
};

[[noreturn]] void serve(Shared& shared, Transport& transport) {
  Bytes frame;
  for (;;) {
    transport.receive(frame);
    Descriptor work;
    std::memcpy(&work, frame.data(), sizeof work);
    std::memcpy(shared.slot(work.slot + kMostInFlight), shared.slot(work.slot), work.bytes);
    transport.send(frame);
  }
}

std::vector<double> round_trips(Shared& shared, Transport& transport, std::uint64_t bytes, int in_flight,
                                double seconds) {
  const std::vector<std::byte> payload(bytes, std::byte{1});
  std::vector<double> micros;
  Bytes frame(kDescriptor);
  const auto submit = [&](std::uint64_t slot) {
    const Descriptor work{slot, bytes, Clock::now()};
    std::memcpy(shared.slot(slot), payload.data(), bytes);
    std::memcpy(frame.data(), &work, sizeof work);
    transport.send(frame);
  };
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < in_flight; ++i) submit(static_cast<std::uint64_t>(i));
  int open = in_flight;
  while (open > 0) {
    transport.receive(frame);
    Descriptor done;
    std::memcpy(&done, frame.data(), sizeof done);
    micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - done.sent).count());
    if (Clock::now() < end) submit(done.slot);
    else --open;
  }
  return micros;
}

double quantile(std::vector<double>& values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1.0;
  Shared shared;
  std::unique_ptr<Transport> client[2] = {std::make_unique<SocketTransport>(shared.sockets[0]), shared.ring(true)};
  pid_t children[2];
  for (int kind = 0; kind < 2; ++kind) {
    children[kind] = fork();
    if (children[kind] != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (kind == 1) serve(shared, *shared.ring(false));
    SocketTransport socket(shared.sockets[1]);
    serve(shared, socket);
  }
  const char* names[2] = {"socket", "ring"};
  for (const std::uint64_t bytes : {4096ULL, 65536ULL, 1ULL << 20, 4ULL << 20}) {
    for (const int in_flight : {1, kMostInFlight}) {
      std::vector<double> micros[2];
      // In turns, so that both see the same machine.
      for (int turn = 0; turn < 10; ++turn) {
        const int kind = turn % 2;
        for (const double value : round_trips(shared, *client[kind], bytes, in_flight, seconds / 5)) {
          micros[kind].push_back(value);
        }
      }
      for (int kind = 0; kind < 2; ++kind) {
        std::printf("{\"transport\":\"%s\",\"bytes\":%llu,\"concurrency\":%d,\"roundTrips\":%zu,\"p50Us\":%.1f,\"p99Us\":%.1f}\n",
                    names[kind], static_cast<unsigned long long>(bytes), in_flight, micros[kind].size(),
                    quantile(micros[kind], 0.5), quantile(micros[kind], 0.99));
      }
    }
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return 0;
}
