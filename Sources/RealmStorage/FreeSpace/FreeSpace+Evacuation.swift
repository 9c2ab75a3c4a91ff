// SPDX-License-Identifier: Apache-2.0

// Whether an evacuation pays, and of what.
//
// A commit evaluates three figures: the length of the file, the live bytes, and whether the file
// grew. The goal is a file of at most twice its live bytes and the largest commit.

extension FreeSpace {
  /// Files up to this length are left alone.
  static let evacuationThreshold = 256 << 10

  /// The bytes of the file that are not free.
  var liveByteCount: Int { logicalSize - freeByteCount }

  /// Whether more than half of the file is free.
  var isMostlyFree: Bool {
    logicalSize > Self.evacuationThreshold && freeByteCount > logicalSize / 2
  }

  /// The bytes that stay free at the end when the file is made shorter.
  var reserve: Int { max(Self.leastReserve, min(1 << 20, liveByteCount / 8)) }

  /// The bytes that stay free at the end of a compacted file.
  static let leastReserve = 64 << 10

  /// A power of two from 32 KiB to 4 MiB, so that the file has about 64 windows.
  private var windowByteCount: Int {
    var byteCount = 32 << 10
    while byteCount < 4 << 20, byteCount * 64 < logicalSize { byteCount *= 2 }
    return byteCount
  }

  /// Starts an evacuation if the file needs one: because more than half of it is free, or because
  /// it had to grow although more than a third is free.
  mutating func startEvacuationIfNeeded() {
    let hasGrown = self.hasGrown
    self.hasGrown = false
    guard evacuation == nil, logicalSize > Self.evacuationThreshold else { return }
    if isMostlyFree {
      if !startShrinking(to: liveByteCount / 2 * 3) { startGathering(freeShare: 3) }
    } else if hasGrown, freeByteCount > logicalSize / 3 {
      startGathering(freeShare: 3)
    }
  }

  /// Goes on with making the file as short as can be in steps.
  ///
  /// The end of the file goes to holes before it. When these are too small, windows are emptied
  /// first, as long as that makes the file shorter: else the two could alternate without an end.
  ///
  /// - Returns: False if nothing is left to be gained.
  mutating func continueCompaction() -> Bool {
    if evacuation != nil { return true }
    hasGrown = false
    if let left = compaction.leftByteCount, freeByteCount > left + logicalSize / 32 {
      compaction = CompactionState()
    }
    let next = logicalSize - logicalSize / 64
    if logicalSize <= compaction.shrinkingFrom, startShrinking(to: liveByteCount / 16 * 17) {
      compaction.shrinkingFrom = next
      return true
    }
    if logicalSize <= compaction.gatheringFrom, startGathering(freeShare: 8) {
      compaction.shrinkingFrom = .max
      compaction.gatheringFrom = next
      return true
    }
    compaction.leftByteCount = freeByteCount
    return false
  }

  /// The free bytes of the windows of the file.
  private struct Windows {
    let byteCount: Int
    /// The free bytes of each window, usable or not.
    var free: [Int]
    /// Those of them that are part of a usable block of some length.
    var useful: [Int]
  }

  private func windows() -> Windows {
    let byteCount = windowByteCount
    let count = (logicalSize + byteCount - 1) / byteCount
    var windows = Windows(
      byteCount: byteCount, free: .init(repeating: 0, count: count),
      useful: .init(repeating: 0, count: count))
    let usefulByteCount = max(4 << 10, byteCount / 8)
    for block in list.blocks {
      let isUseful = block.isUsable && block.byteCount >= usefulByteCount
      var position = block.position
      while position < block.end {
        let window = position / byteCount
        let end = min(block.end, (window + 1) * byteCount)
        windows.free[window] += end - position
        if isUseful { windows.useful[window] += end - position }
        position = end
      }
    }
    return windows
  }

  /// Starts to empty the end of the file.
  ///
  /// - Parameter target: The length that the file shall have at least.
  /// - Returns: False if little would be gained: the end of the file does not fit into the holes
  ///   before it.
  private mutating func startShrinking(to target: Int) -> Bool {
    let windows = windows()
    var first = windows.free.count
    var live = 0
    var useful = windows.useful.reduce(0, +)
    while first > 0, (first - 1) * windows.byteCount >= target {
      let start = (first - 1) * windows.byteCount
      live += min(windows.byteCount, logicalSize - start) - windows.free[first - 1]
      useful -= windows.useful[first - 1]
      guard useful > live + live / 4 else { break }
      first -= 1
    }
    let limit = first * windows.byteCount
    assert(live >= 0 && useful >= 0, "a window has more free bytes than bytes")
    guard limit + max(Self.leastReserve, logicalSize / 64) < logicalSize, hasRoomForLists(in: limit)
    else { return false }
    hold(Evacuation(endFrom: limit, windowByteCount: windows.byteCount))
    return true
  }

  /// Whether two commits can write their free lists before `limit`: each takes one run for them.
  private func hasRoomForLists(in limit: Int) -> Bool {
    let byteCount = list.count * Self.listedBlockByteCount
    return list.blocks.contains { $0.isUsable && min($0.end, limit) - $0.position > 2 * byteCount }
  }

  /// The bytes of the lists for each block, in a file of less than 2 GiB.
  private static let listedBlockByteCount = 12

  /// Starts to empty the windows with the most free space; their live nodes are at most an eighth
  /// of the file.
  ///
  /// - Parameter freeShare: Windows are emptied if at least one part in so many is free.
  /// - Returns: False if no window has much free space and some live nodes.
  @discardableResult
  private mutating func startGathering(freeShare: Int) -> Bool {
    let windows = windows()
    let free = windows.free
    let candidates = free.indices.filter {
      free[$0] >= windows.byteCount / freeShare && free[$0] < windows.byteCount
    }
    var isMarked = [Bool](repeating: false, count: free.count)
    var live = 0
    for index in candidates.sorted(by: { (free[$0], $0) > (free[$1], $1) }) {
      live += windows.byteCount - free[index]
      assert(live >= 0, "a window has more free bytes than bytes")
      guard live <= logicalSize / 8 else { break }
      isMarked[index] = true
    }
    guard isMarked.contains(true) else { return false }
    hold(
      Evacuation(
        windows: isMarked, windowByteCount: windows.byteCount, fileByteCount: logicalSize))
    return true
  }
}
