// SPDX-License-Identifier: Apache-2.0

// Emptying parts of the file, so that free space becomes contiguous and the file becomes shorter.
//
// Free space that is scattered in small holes is of no use to a commit that writes much: it would
// make the file grow while half of it is free. So regions that are mostly free are evacuated. The
// commits that follow copy the live nodes of these regions to other positions, a bounded number of
// bytes each, as they copy any node that changes. When the walk over all trees is complete, the
// regions are free. Nothing in the file records an evacuation; one that a process does not finish
// has cost some copies.
//
// 1. While an evacuation runs, nothing is allocated in its regions: free blocks there are held
//    (`FreeBlock.heldTag`). What the file grows by meanwhile belongs to none of them.
// 2. A walk visits nodes in the order of the trees, and goes on where it stopped. Commits between
//    its steps may move nodes past that position: what it misses stays where it is.
// 3. An evacuation ends after the walk, at the first commit with the freed space usable. One for
//    the end of the file also ends where a commit would make it grow.

/// The regions of the file that are being emptied, and how far that has come.
struct Evacuation: Sendable {
  /// The gain of an evacuation.
  enum Goal: Sendable {
    /// A shorter file: its end is emptied.
    case shrink
    /// Contiguous free space: windows with much free space are emptied.
    case gather
  }

  let goal: Goal
  let windowByteCount: Int
  private let isMarked: [Bool]
  /// From here on everything is evacuated.
  let limit: Int
  /// Where the last window ends: the length of the file when the evacuation began.
  private let end: Int
  /// The slot at which the walk goes on in each node on the path from the root; empty at first.
  var cursor: [Int] = []
  /// Whether the walk is complete.
  var isComplete = false

  /// Empties the end of the file from `limit`, a multiple of `windowByteCount`, on.
  init(endFrom limit: Int, windowByteCount: Int) {
    assert(windowByteCount > 0 && limit % windowByteCount == 0, "a limit inside a window")
    goal = .shrink
    self.limit = limit
    self.windowByteCount = windowByteCount
    isMarked = []
    end = .max
  }

  /// Empties windows of a file of `fileByteCount` bytes.
  init(windows isMarked: [Bool], windowByteCount: Int, fileByteCount: Int) {
    assert(windowByteCount > 0 && fileByteCount > 0, "windows of nothing")
    goal = .gather
    limit = .max
    self.windowByteCount = windowByteCount
    self.isMarked = isMarked
    end = fileByteCount
  }

  /// Whether any of the bytes are to be evacuated.
  func contains(_ range: Range<Int>) -> Bool {
    if range.upperBound > limit { return true }
    guard range.lowerBound < end else { return false }
    let last = min((range.upperBound - 1) / windowByteCount, isMarked.count - 1)
    var window = range.lowerBound / windowByteCount
    while window <= last {
      if isMarked[window] { return true }
      window += 1
    }
    return false
  }

  /// Whether to copy the node there. A node larger than a window stays: it would need a hole larger
  /// than the one it leaves.
  func concerns(_ range: Range<Int>) -> Bool {
    (goal == .shrink || range.count <= windowByteCount) && contains(range)
  }

  /// Divides a range where evacuated bytes meet others.
  func forEachPart(of range: Range<Int>, _ body: (Range<Int>, _ isEvacuated: Bool) -> Void) {
    var start = range.lowerBound
    while start < range.upperBound {
      let isEvacuated = contains(start..<start + 1)
      var end = start
      repeat {
        end = min(range.upperBound, (end / windowByteCount + 1) * windowByteCount)
      } while end < range.upperBound && contains(end..<end + 1) == isEvacuated
      assert(start < end && isEvacuated == contains(start..<end), "parts are of one kind")
      body(start..<end, isEvacuated)
      start = end
    }
  }
}
