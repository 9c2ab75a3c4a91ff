// SPDX-License-Identifier: Apache-2.0

// Which commit wrote which bytes.
//
// A freed block carries the version that freed it, and the format's rule keeps it from use until
// every reader has come to that version. So while one reader stays at an old version, whatever
// later commits write and replace again would be lost until it goes. A record of when a block was
// written allows more: only versions from there to the one that freed it ever saw the block. The
// file has no field for that, so this process records what it wrote itself.

/// The versions that wrote runs of bytes, where they are known and matter.
struct BlockVersionMap: Sendable {
  private struct Run {
    var start: Int
    var end: Int
    var version: UInt64
  }

  /// Sorted, disjoint.
  private var runs: [Run] = []
  private var removedVersion: UInt64 = 0

  /// The version that wrote the node at `position`; 0 if that is not known.
  func version(at position: Int) -> UInt64 {
    let index = firstRun(endingAfter: position)
    guard index < runs.count, runs[index].start <= position else { return 0 }
    return runs[index].version
  }

  /// The writer of the node at `position`, 0 if it is not known, and the end of the bytes with the
  /// same writer.
  func run(at position: Int) -> (version: UInt64, end: Int) {
    let index = firstRun(endingAfter: position)
    guard index < runs.count else { return (0, .max) }
    let run = runs[index]
    return run.start <= position ? (run.version, run.end) : (0, run.start)
  }

  /// Removes all records: no reader has an older version, so what was written up to now is as old
  /// as any version that a later reader has.
  mutating func removeAll() { runs.removeAll(keepingCapacity: true) }

  /// Removes the records of `version` and those before: to its readers, what they wrote is as old
  /// as what nothing is known of.
  mutating func removeAll(through version: UInt64) {
    guard version > removedVersion else { return }
    removedVersion = version
    runs.removeAll { $0.version <= version }
  }

  /// Notes that `version` wrote a run of bytes, whatever was there before.
  mutating func insert(_ range: Range<Int>, version: UInt64) {
    assert(version > 0, "0 means that the version is not known")
    guard !range.isEmpty else { return }
    let first = firstRun(endingAfter: range.lowerBound)
    var last = first
    var new: [Run] = []
    while last < runs.count, runs[last].start < range.upperBound {
      let old = runs[last]
      if old.start < range.lowerBound {
        new.append(Run(start: old.start, end: range.lowerBound, version: old.version))
      }
      if old.end > range.upperBound {
        new.append(Run(start: range.upperBound, end: old.end, version: old.version))
      }
      last += 1
    }
    let run = Run(start: range.lowerBound, end: range.upperBound, version: version)
    new.insert(run, at: new.first.map { $0.start < run.start } == true ? 1 : 0)
    runs.replaceSubrange(first..<last, with: new)
    assert(isDisjoint(around: first..<first + new.count), "runs are disjoint")
  }

  /// Notes `version` as the writer of runs of bytes, sorted and disjoint.
  ///
  /// Estimate: one pass over all runs, however many are new.
  mutating func insert(_ ranges: [Range<Int>], version: UInt64) {
    assert(version > 0, "0 means that the version is not known")
    guard !ranges.isEmpty else { return }
    var merged = ranges.map { Run(start: $0.lowerBound, end: $0.upperBound, version: version) }
    merged.reserveCapacity(runs.count + 2 * ranges.count)
    var next = 0
    for run in runs {
      var start = run.start
      while next < ranges.count, ranges[next].upperBound <= start { next += 1 }
      var index = next
      while index < ranges.count, ranges[index].lowerBound < run.end {
        if start < ranges[index].lowerBound {
          merged.append(Run(start: start, end: ranges[index].lowerBound, version: run.version))
        }
        start = ranges[index].upperBound
        index += 1
      }
      if start < run.end { merged.append(Run(start: start, end: run.end, version: run.version)) }
    }
    runs = merged.sorted { $0.start < $1.start }
    assert(isDisjoint(around: 0..<runs.count), "runs are disjoint")
  }

  /// Whether runs, and those beside them, have no block in common.
  private func isDisjoint(around changed: Range<Int>) -> Bool {
    let later = max(changed.lowerBound, 1)..<min(changed.upperBound + 1, runs.count)
    return later.allSatisfy { runs[$0 - 1].end <= runs[$0].start }
  }

  private func firstRun(endingAfter position: Int) -> Int {
    return (0..<runs.count).partitionPoint { runs[$0].end <= position }
  }
}
