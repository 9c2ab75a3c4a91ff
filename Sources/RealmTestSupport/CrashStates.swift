// SPDX-License-Identifier: Apache-2.0

// The states of a file that a crash may leave on the disk.
//
// A sync is a barrier: everything written before it is on the disk. Of the writes after the last
// sync before the crash, any part may have arrived, in any order: each write whole, not at all, or
// in some of its sectors or pages; a longer file may have its new size and zeros, or not yet.

import Foundation

/// All bytes of the file in one state that a crash may leave, and the version that the user knew.
package struct CrashState: Sendable {
  package var contents: [UInt8]
  /// The newest version that was reported as durable; 0 if none.
  package var acknowledged: UInt64
  /// So many events of the run came before the crash.
  package var position: Int
  /// The position of the crash and the part of the last writes that arrived, to find the state
  /// again.
  package var name: String
}

/// The states that a crash may leave of a file, for a recorded run.
package struct CrashStates {
  private let initial: [UInt8]
  private let trace: [FileEvent]
  /// Up to so many unsynced changes every subset is tested; beyond, so many random ones, and a
  /// third of them in a quick run (`RandomRuns`).
  private let subsetLimit: Int
  private let sampleCount: Int
  /// The pieces in which a write may arrive.
  private let tornUnits: [Int]
  /// Whether a later write may be overwritten by an earlier one.
  private let reorders: Bool

  /// The states of a file that had the contents `initial` when the trace began, all durable.
  package init(
    of trace: [FileEvent], initial: [UInt8], subsetLimit: Int = 6, sampleCount: Int = 64,
    tornUnits: [Int] = [512, 4096], reorders: Bool = false
  ) {
    self.reorders = reorders
    self.trace = trace
    self.initial = initial
    self.subsetLimit = subsetLimit
    self.sampleCount = RandomRuns.count(of: sampleCount)
    self.tornUnits = tornUnits
  }

  /// Calls `body` with each state; returns the number of states.
  ///
  /// Two crashes that leave the same bytes and the same known version count once if they happen
  /// between the same two syncs.
  @discardableResult
  package func forEach(
    using random: inout SeededGenerator, _ body: (CrashState) throws -> Void
  ) rethrows -> Int {
    var durable = initial
    var pending: [FileEvent] = []
    var acknowledged: UInt64 = 0
    var seen: Set<Int> = []
    var count = 0
    func crash(at position: Int) throws {
      for (name, arrived) in arrivals(of: pending, using: &random) {
        var contents = durable
        for event in arrived { Self.apply(event, to: &contents) }
        var hasher = Hasher()
        unsafe contents.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(acknowledged)
        guard seen.insert(hasher.finalize()).inserted else { continue }
        count += 1
        try body(
          CrashState(
            contents: contents, acknowledged: acknowledged, position: position,
            name: "event \(position), \(name)"))
      }
    }
    for (position, event) in trace.enumerated() {
      switch event {
      case .sync:
        try crash(at: position)
        for event in pending { Self.apply(event, to: &durable) }
        pending = []
        seen = []
      case .failedSync(let lost):
        try crash(at: position)
        durable = Self.contents(of: durable, after: pending, without: lost)
        pending = []
        seen = []
      case .acknowledge(let version):
        try crash(at: position)
        acknowledged = version
      case .write, .resize: pending.append(event)
      }
    }
    try crash(at: trace.count)
    return count
  }

  /// The bytes that the disk has for certain after the events.
  package static func durable(after trace: [FileEvent], initial: [UInt8]) -> [UInt8] {
    var durable = initial
    var pending: [FileEvent] = []
    for event in trace {
      switch event {
      case .sync:
        for event in pending { apply(event, to: &durable) }
        pending = []
      case .failedSync(let lost):
        durable = contents(of: durable, after: pending, without: lost)
        pending = []
      case .write, .resize: pending.append(event)
      case .acknowledge: break
      }
    }
    return durable
  }

  /// What a failed sync leaves.
  private static func contents(
    of durable: [UInt8], after pending: [FileEvent], without lost: Set<Int>
  ) -> [UInt8] {
    var next = durable
    for event in pending { apply(event, to: &next) }
    for page in lost { PageCache.restore(page, of: durable, in: &next) }
    return next
  }

  /// The combinations in which some of the changes may have reached the disk.
  private func arrivals(
    of pending: [FileEvent], using random: inout SeededGenerator
  ) -> [(String, [FileEvent])] {
    var result: [(String, [FileEvent])] = []
    let everything = 1 << min(pending.count, 30)
    let isExhaustive = pending.count <= subsetLimit
    for sample in 0..<(isExhaustive ? everything : sampleCount) {
      let chosen =
        isExhaustive
        ? (0..<pending.count).filter { sample >> $0 & 1 == 1 }
        : pending.indices.filter { _ in Bool.random(using: &random) }
      result.append(("whole \(chosen)", chosen.map { pending[$0] }))
      guard reorders, chosen.count > 1 else { continue }
      result.append(("whole \(chosen), reversed", chosen.reversed().map { pending[$0] }))
      let mixed = chosen.shuffled(using: &random)
      result.append(("whole \(mixed), in this order", mixed.map { pending[$0] }))
    }
    for length in pending.indices where !isExhaustive {
      result.append(("the first \(length)", Array(pending[..<length])))
    }
    for unit in tornUnits {
      for torn in pending.indices {
        guard let parts = Self.parts(of: pending[torn], unit: unit), parts.count > 1 else {
          continue
        }
        for kept in Self.selections(of: parts.count, using: &random) {
          var arrived = pending
          arrived.replaceSubrange(torn...torn, with: kept.map { parts[$0] })
          result.append(("\(torn) torn at \(unit) to \(kept)", arrived))
          // The same with nothing after the torn write.
          result.append(
            (
              "up to \(torn) torn at \(unit) to \(kept)",
              Array(pending[..<torn]) + kept.map { parts[$0] }
            ))
        }
      }
    }
    return result
  }

  /// Prefixes, suffixes and some other selections of the parts of a write.
  private static func selections(of count: Int, using random: inout SeededGenerator) -> [[Int]] {
    var result: [[Int]] = []
    for length in [1, count / 2, count - 1] where length > 0 && length < count {
      result.append(Array(0..<length))
      result.append(Array(count - length..<count))
    }
    for _ in 0..<2 { result.append((0..<count).filter { _ in Bool.random(using: &random) }) }
    return result
  }

  /// The pieces of a write between multiples of `unit`.
  private static func parts(of event: FileEvent, unit: Int) -> [FileEvent]? {
    guard case .write(let offset, let bytes) = event else { return nil }
    var result: [FileEvent] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, ((offset + start) / unit + 1) * unit - offset)
      result.append(.write(offset: offset + start, bytes: Array(bytes[start..<end])))
      start = end
    }
    return result
  }

  /// Copies runs of bytes, as a loop over them takes an eighth of the time of a crash test in a
  /// debug build.
  private static func apply(_ event: FileEvent, to contents: inout [UInt8]) {
    switch event {
    case .write(let offset, let bytes):
      let end = offset + bytes.count
      if contents.count < end { resize(&contents, to: end) }
      unsafe contents.withUnsafeMutableBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyBytes(from: bytes)
      }
    case .resize(let byteCount): resize(&contents, to: byteCount)
    case .sync, .failedSync, .acknowledge: break
    }
  }

  private static func resize(_ contents: inout [UInt8], to byteCount: Int) {
    if contents.count > byteCount {
      contents.removeLast(contents.count - byteCount)
    } else {
      contents.append(contentsOf: Data(count: byteCount - contents.count))
    }
  }
}
