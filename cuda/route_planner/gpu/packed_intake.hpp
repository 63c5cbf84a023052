#pragma once

#include <functional>
#include <span>
#include <vector>

#include "packed_walk.hpp"

namespace roundhouse::route_planner::gpu {

/// Packed problems that one caller wants solved, and what became of them.
struct PackedRequest {
  std::span<const int32_t> words;
  /// The words lie in page-locked memory.
  bool pinned = false;
  /// Asked between chunks; true: the caller does not want the answers any more.
  std::function<bool()> isCancelled;

  bool cancelled = false;
  /// Its rows among those of the call: all its problems, unless it was cancelled or has a fault.
  int first = 0;
  int count = 0;
  /// Number of the first problem that can't be read or is refused, and where it begins; −1: none.
  int faulty = -1;
  std::size_t faultyAt = 0;
};

/// Cuts the words of a call's requests into chunks of whole problems, one request after the other.
class PackedIntake {
 public:
  struct Piece {
    const int32_t* words;
    std::size_t count;
    /// Where they go among the chunk's words.
    std::size_t at;
    bool pinned;
  };

  PackedIntake(std::span<PackedRequest> requests, PackedWalk& walk) : requests_(requests), walk_(walk) {}

  /// Takes up to `most` problems with up to `mostWords` words, at least kMostPackedWords: `offsets` gets where each begins
  /// among the chunk's words, and where the last ends. Returns their number, 0 at the end of the requests.
  int take(int most, std::size_t mostWords, uint32_t* offsets);
  /// Of the chunk that was taken last.
  std::span<const Piece> pieces() const { return pieces_; }
  std::size_t words() const { return words_; }

  /// Asks every request that is wanted so far; true when none is.
  bool allCancelled();

 private:
  int takeFrom(PackedRequest& request, int most, std::size_t mostWords, uint32_t* offsets);
  bool look(PackedRequest& request);
  /// Of the problems found, the word behind the one before number `number`.
  std::size_t endBefore(std::size_t number) const { return number < starts_.size() ? starts_[number] : ahead_.at - lookedFrom_; }
  std::size_t fitting(std::size_t most, std::size_t room) const;
  void goOn();

  std::span<PackedRequest> requests_;
  std::vector<Piece> pieces_;
  std::size_t words_ = 0;
  std::size_t request_ = 0;
  /// Words of the current request that were taken.
  std::size_t at_ = 0;
  int rows_ = 0;
  /// What the last look found: problems from word lookedFrom_ on, of which next_ were taken.
  PackedWalk& walk_;
  std::span<const uint32_t> starts_;
  std::size_t next_ = 0;
  std::size_t lookedFrom_ = 0;
  PackedWalk::End ahead_{};
};

/// Where problem `number` of a request begins; all problems before it were taken. Where their words have changed since,
/// the first that can't be read.
std::size_t packedOffset(std::span<const int32_t> words, int number);

}  // namespace roundhouse::route_planner::gpu
