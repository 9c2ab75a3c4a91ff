// SPDX-License-Identifier: Apache-2.0

// The newest entries of a realm in memory.
//
// Invariants:
// 1. The entries are those of consecutive versions, and the last is of the newest stored version.

/// The newest entries of a realm in memory, so clients in steady state do not read the file: 64
/// clients of one realm read each entry 63 times, a sixth of the server's processor time.
package struct RecentEntries {
  private let countMax: Int
  private let byteCountMax: Int
  private var entries: [StoredEntry] = []
  private var byteCount = 0

  /// - Parameters:
  ///   - countMax: The kept versions; up to twice as many while new ones come.
  ///   - byteCountMax: The bytes of changesets at which all but the last entries are forgotten.
  package init(countMax: Int = 512, byteCountMax: Int = 4 << 20) {
    self.countMax = countMax
    self.byteCountMax = byteCountMax
  }

  /// The entries of some versions; nil if one is not here.
  package func entries(in range: ClosedRange<UInt64>) -> ArraySlice<StoredEntry>? {
    guard let first = entries.first?.version, let last = entries.last?.version,
      range.lowerBound >= first, range.upperBound <= last
    else { return nil }
    return entries[Int(range.lowerBound - first)...Int(range.upperBound - first)]
  }

  /// Adds the entries of an append.
  package mutating func append(_ batch: Batch) {
    for entry in batch.entries {
      if let last = entries.last?.version, entry.version != last + 1 { removeAll(through: .max) }
      assert(entries.last.map { $0.version + 1 == entry.version } ?? true, "`RecentEntries` 1")
      entries.append(entry)
      byteCount += entry.memoryByteCount
    }
    if let through = batch.trimsThrough { removeAll(through: through) }
    if let through = batch.skipsThrough { removeAll(through: through) }
    guard entries.count > 2 * countMax || byteCount > byteCountMax else { return }
    var count = max(0, entries.count - countMax)
    var rest = byteCount - entries.prefix(count).reduce(0) { $0 + $1.memoryByteCount }
    while rest > byteCountMax / 2, count < entries.count {
      rest -= entries[count].memoryByteCount
      count += 1
    }
    entries.removeFirst(count)
    byteCount = rest
    assert(byteCount >= 0 && (!entries.isEmpty || byteCount == 0), "bytes of no entry are noted")
  }

  private mutating func removeAll(through version: UInt64) {
    let count = entries.prefix { $0.version <= version }.count
    for entry in entries.prefix(count) { byteCount -= entry.memoryByteCount }
    entries.removeFirst(count)
    assert(byteCount >= 0 && (!entries.isEmpty || byteCount == 0), "bytes of no entry are noted")
  }
}

extension StoredEntry {
  /// The memory of the entry, about.
  fileprivate var memoryByteCount: Int {
    changeset.count + touches.count * 256 + MemoryLayout<StoredEntry>.stride
  }
}
