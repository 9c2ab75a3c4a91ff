// SPDX-License-Identifier: Apache-2.0

// Where the nodes of a commit go.
//
// The time of a small commit depends on how many regions of the file change, and on how long ago
// they changed last; hardly by the number of bytes: 100 KiB in one region cost a tenth more than 16
// KiB, each further region a third of a sync. So a small commit is one run of bytes, in pages that
// a recent commit wrote as well.
//
// The nodes on the path to the root, the free lists and the top array live for one or two commits
// only. The others, the leaves with the data and what holds them together, stay for long; scattered
// among the short-lived ones they would leave no room for the next commit anywhere. So a run begins
// with the long-lived nodes, and where they end is remembered (`FreeSpace.fronts`): the commit
// after the next, when the short-lived nodes after that position are free, goes on there. Two
// commits take turns in two such lanes; each leaves its long-lived nodes side by side.
//
// If there is no room for a lane, the file grows, or, if a good part of it is free, the two kinds
// of nodes go to regions of their own: long-lived ones into the holes that others left.
//
// 1. Bytes are taken from usable free space only, and a run never crosses a section boundary.
// 2. A run that was taken and not filled is returned to the free space before the free lists are
//    written; the last run, in which the lists themselves stand, is returned as a block of its own.
// 3. A small commit does not make the file grow if a quarter of it is free, in holes that take a
//    good part of the commit each; smaller ones are gathered by an evacuation, or used when the
//    disk is full.

/// How long a node is going to be part of the newest version.
enum NodeLifetime {
  /// Until its data changes.
  case long
  /// Until nearly any data changes.
  case short
}

/// The bytes that a commit is going to write.
struct NodeByteCounts {
  var long = 0
  var short = 0
}

/// Takes space for the nodes of one commit.
struct NodePlacement {
  /// A run of bytes that is being filled.
  private struct Run {
    var rest = 0..<0
    var start = 0
    /// The bytes that are still to be placed, as far as they are known.
    var remaining: Int
  }

  private(set) var space: FreeSpace
  /// The logical size before the commit.
  let oldLogicalSize: Int
  private let pageSize: Int
  /// Extends the file to the given length before anything is written there.
  private let extend: (Int) throws(StorageError) -> Void
  private var long: Run
  private var short: Run
  /// Whether the long-lived nodes are so few that each may go to a hole of its own.
  private let mayScatter: Bool
  /// Whether long-lived and short-lived nodes may still become one run.
  private var mayJoin: Bool
  /// The runs that were filled, but for the present ones.
  private var written: [Range<Int>] = []
  private var filledHoleCount = 0
  /// Where the long-lived part of the lane ends.
  private var laneBorder: Int?
  private var lastRest = 0..<0

  /// Up to so many bytes, a commit is small.
  static let smallByteCount = 1 << 20
  /// From so many blocks on, writing the free lists costs more than filling holes.
  static let longListCount = 16384
  /// How many holes a commit fills to shorten the lists.
  private static let filledHoleLimit = 4
  /// Up to so many bytes of long-lived nodes, each may go to a hole of its own.
  private static let scatteredByteCount = 32 << 10
  /// The room of a new lane beside its first commit, in a large file.
  private static let laneRoom = 64 << 10
  private static let frontLimit = 4

  init(
    _ space: FreeSpace, expecting byteCounts: NodeByteCounts, pageSize: Int,
    extend: @escaping (Int) throws(StorageError) -> Void
  ) {
    self.space = space
    oldLogicalSize = space.logicalSize
    self.pageSize = pageSize
    self.extend = extend
    long = Run(remaining: byteCounts.long)
    short = Run(remaining: byteCounts.short)
    mayScatter = byteCounts.long <= Self.scatteredByteCount
    mayJoin =
      byteCounts.long + byteCounts.short <= Self.smallByteCount
      && space.list.count <= Self.longListCount
  }

  /// Takes the next `byteCount` bytes.
  mutating func place(_ byteCount: Int, _ lifetime: NodeLifetime) throws(StorageError) -> Int {
    assert(byteCount > 0 && byteCount & 7 == 0, "a node of a size that is not aligned")
    if mayJoin { try takeJointRun() }
    switch lifetime {
    case .long:
      if long.rest.count < byteCount { try takeLongRun(byteCount) }
      return Self.advance(&long, byteCount)
    case .short:
      if short.rest.count < byteCount { try takeShortRun(byteCount) }
      return Self.advance(&short, byteCount)
    }
  }

  private static func advance(_ run: inout Run, _ byteCount: Int) -> Int {
    let position = run.rest.lowerBound
    assert(run.rest.count >= byteCount, "`NodePlacement` 1: a node beyond the end of its run")
    assert(run.start <= position && position & 7 == 0)
    run.rest = position + byteCount..<run.rest.upperBound
    run.remaining = max(0, run.remaining - byteCount)
    return position
  }

  // MARK: Lanes

  /// Takes one run for all nodes, if there is a good one.
  private mutating func takeJointRun() throws(StorageError) {
    mayJoin = false
    let wanted = long.remaining + short.remaining
    guard wanted > 0, let run = try takeLane(wanted) else { return }
    let border = run.lowerBound + long.remaining
    assert(run.count == wanted && long.rest.isEmpty && short.rest.isEmpty, "a lane is one run")
    laneBorder = border
    long.rest = run.lowerBound..<border
    long.start = run.lowerBound
    short.rest = border..<run.upperBound
    short.start = border
  }

  private mutating func takeLane(_ wanted: Int) throws(StorageError) -> Range<Int>? {
    for (index, front) in space.fronts.enumerated() {
      if let taken = space.take(wanted, at: front) {
        space.fronts.remove(at: index)
        return taken
      }
    }
    let roomy = wanted + min(Self.laneRoom, space.logicalSize / 16 & ~7)
    if let taken = space.takeLane(wanted, room: roomy) { return taken }
    // `Evacuation` 3: a file whose end is being emptied does not grow for a lane.
    guard !isRoomy, space.evacuation?.goal != .shrink else { return nil }
    do throws(StorageError) {
      try grow(for: roomy)
    } catch {
      guard error.isDiskFull else { throw error }
      return nil
    }
    return space.takeLane(wanted, room: roomy)
  }

  private mutating func noteFront(_ position: Int) {
    space.fronts.append(position)
    if space.fronts.count > Self.frontLimit { space.fronts.removeFirst() }
  }

  /// The smallest run that is taken for a part of `wanted` bytes: the less of them there are, the
  /// fewer writes, and the more of the file's free space is of no use.
  private func smallestPart(of wanted: Int) -> Int {
    space.freeByteCount > space.logicalSize / 5 * 2 ? max(4 << 10, wanted / 64) : wanted / 16
  }

  /// Whether so much of the file is free that it should not grow for a small commit.
  private var isRoomy: Bool { space.freeByteCount > space.logicalSize / 4 }

  // MARK: Long-lived nodes

  private mutating func takeLongRun(_ needed: Int) throws(StorageError) {
    try endLongRun()
    let wanted = max(needed, long.remaining)
    let taken =
      wanted <= Self.smallByteCount
      ? try takeSmallLongRun(wanted, needed)
      : try takeOrGrow(wanted, needed, from: .low, smallestPart: smallestPart(of: wanted))
    long.rest = taken
    long.start = taken.lowerBound
  }

  private mutating func takeSmallLongRun(
    _ wanted: Int, _ needed: Int
  ) throws(StorageError) -> Range<Int> {
    takeEarlyShortRun()
    if mayScatter, space.list.count > Self.longListCount, filledHoleCount < Self.filledHoleLimit {
      filledHoleCount += 1
      if let taken = space.take(wanted: needed, needed: needed, from: .low) { return taken }
    }
    if isRoomy, let taken = takeHoles(wanted, needed) { return taken }
    return try takeOrGrow(wanted, needed, from: .low, smallestPart: wanted)
  }

  /// Takes the hole that fits a node best if there are few nodes, else a good part of what all of
  /// them need: with hundreds of nodes, a hole for each would be hundreds of writes.
  private mutating func takeHoles(_ wanted: Int, _ needed: Int) -> Range<Int>? {
    return space.take(wanted: wanted, needed: max(needed, smallestPart(of: wanted)), from: .low)
  }

  private mutating func endLongRun() throws(StorageError) {
    assert(long.start <= long.rest.lowerBound, "a run ends before its start")
    if long.start < long.rest.lowerBound {
      written.append(long.start..<long.rest.lowerBound)
      if long.rest.upperBound == laneBorder { noteFront(long.rest.lowerBound) }
    }
    try space.giveBack(long.rest)
    long.rest = 0..<0
    long.start = 0
  }

  // MARK: Short-lived nodes

  /// Takes a run for all short-lived nodes if there is one, before long-lived nodes fill it: those
  /// can go to smaller holes, and the free lists cannot.
  private mutating func takeEarlyShortRun() {
    let wanted = short.remaining
    guard short.rest.isEmpty, wanted > 0,
      let taken = space.take(wanted: wanted, needed: wanted, from: .high)
    else { return }
    short.rest = taken
    short.start = taken.lowerBound
  }

  private mutating func takeShortRun(_ needed: Int) throws(StorageError) {
    try endShortRun(at: short.rest.lowerBound)
    let wanted = max(needed, short.remaining)
    // Several places cost more than a longer file, unless most of it is free anyway.
    let maySplit = space.freeByteCount > space.logicalSize / 2 || wanted > Self.smallByteCount
    let taken = try takeOrGrow(
      wanted, needed, from: .high, smallestPart: maySplit ? smallestPart(of: wanted) : wanted)
    short.rest = taken
    short.start = taken.lowerBound
  }

  /// - Parameter record: The version whose record the rest of the run is to have; 0 if it has none.
  private mutating func endShortRun(at position: Int, record: UInt64 = 0) throws(StorageError) {
    assert(short.start <= position && position <= short.rest.upperBound, "`NodePlacement` 2")
    if short.start < position { written.append(short.start..<position) }
    let rest = position..<short.rest.upperBound
    if record > 0 {
      try space.add(record: rest, of: record)
    } else {
      try space.giveBack(rest)
    }
    short.rest = 0..<0
    short.start = 0
  }

  private mutating func takeOrGrow(
    _ wanted: Int, _ needed: Int, from side: FreeSpace.Side, smallestPart: Int
  ) throws(StorageError) -> Range<Int> {
    let part = max(needed, min(smallestPart, wanted))
    assert(needed <= part && part <= wanted, "a part of a run is between what is needed and wanted")
    while true {
      if let taken = space.take(wanted: wanted, needed: part, from: side) { return taken }
      if space.evacuation?.goal == .shrink {
        // Many writes now are better than a longer file.
        if let taken = space.take(wanted: wanted, needed: needed, from: side) { return taken }
        space.endEvacuation()
        continue
      }
      do throws(StorageError) {
        try grow(for: wanted)
      } catch {
        guard error.isDiskFull else { throw error }
        // Each node goes to the smallest hole that it fits, which costs many writes: the lists at
        // the end of the commit need a larger one.
        if let taken = space.take(wanted: needed, needed: needed, from: side) { return taken }
        try grow(for: needed, isTight: true)
      }
    }
  }

  /// Makes the file longer, so that it has room for `wanted` more bytes at its end.
  ///
  /// - Parameter isTight: Whether there shall be no room for commits to come.
  /// - Throws: `StorageError.system` if the disk has no room even for a longer file that is tight.
  private mutating func grow(for wanted: Int, isTight: Bool = false) throws(StorageError) {
    let tight = space.grownSize(for: wanted, isTight: true, pageSize: pageSize)
    let roomy = space.grownSize(for: wanted, isTight: isTight, pageSize: pageSize)
    assert(tight <= roomy && tight > space.logicalSize, "a file that grows becomes longer")
    do throws(StorageError) {
      try extend(roomy)
      try space.grow(to: roomy)
    } catch {
      guard error.isDiskFull, tight < roomy else { throw error }
      try extend(tight)
      try space.grow(to: tight)
    }
  }

  // MARK: The end

  /// A run of `byteCount` bytes for the last nodes, of which the caller will use a first part
  /// (`finish`). Nothing else is placed after it.
  mutating func takeLast(_ byteCount: Int) throws(StorageError) -> Range<Int> {
    if mayJoin { try takeJointRun() }
    try endLongRun()
    if short.rest.count < byteCount {
      short.remaining = byteCount
      try takeShortRun(byteCount)
    }
    assert(short.rest.count >= byteCount && long.rest.isEmpty, "`NodePlacement` 2")
    return short.rest
  }

  /// Ends the last run at `position`, before its end: the rest is one more free block.
  ///
  /// - Parameter recordByteCount: The bytes after the last node that are to have the record of the
  ///   commit: they are free when the version before is not needed any more (`CommitRecord` 1).
  mutating func finish(
    at position: Int, version: UInt64, recordByteCount: Int = 0
  ) throws(StorageError) {
    let end = position + recordByteCount
    assert(end < short.rest.upperBound, "`NodePlacement` 2: the rest is a block of its own")
    lastRest = end..<short.rest.upperBound
    short.rest = position..<end
    try endShortRun(at: position, record: recordByteCount > 0 ? version : 0)
    try space.giveBack(lastRest, merging: false)
    space.noteWritten(written, version: version)
  }

  /// The free space after the lists were written.
  mutating func settledSpace() throws(StorageError) -> FreeSpace {
    if space.take(lastRest.count, at: lastRest.lowerBound) == lastRest {
      try space.giveBack(lastRest)
    }
    return space
  }

  /// Lists what the commit gives up.
  mutating func add(freed: [NodeAllocator.FreedBlock], tag: UInt64) throws(StorageError) {
    try space.add(freed: freed, tag: tag)
  }

  /// The free part of what the commit made the file grow by; empty if it did not.
  var unwrittenTail: Range<Int> {
    guard space.logicalSize > oldLogicalSize, let last = space.list.last, last.isUsable,
      last.end == space.logicalSize
    else { return 0..<0 }
    return max(last.position, oldLogicalSize)..<last.end
  }
}
