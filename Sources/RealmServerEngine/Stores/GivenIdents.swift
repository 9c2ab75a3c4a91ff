// SPDX-License-Identifier: Apache-2.0

// The identifiers that a realm has given to the files of its clients (P4 A.1).
//
// The keys of objects without primary key have them (P5 3), so none may ever be given to a second
// file. A server that was restored from a backup does not know what it has given since. So the
// first one of each opening of a realm is drawn: of two openings that give n and m, both have the
// same with a probability of about (n + m) in four millions.
//
// Invariants:
// 1. No identifier is given twice, as far as the realm knows, also if its file was forgotten.
// 2. Those of one opening follow each other, until one is reached that was given before.

import RealmStorage
import RealmTables

/// The identifiers of a realm in a transaction.
package struct GivenIdents {
  private let rows: RecordTable
  /// Older servers gave identifiers one after the other, through this one.
  private let lastInOrder: UInt64

  init(in group: WriteGroup) throws(StorageError) {
    try ServerTables.idents.makeIfMissing(in: group)
    rows = try ServerTables.idents.table(in: group)
    lastInOrder = try ServerTables.meta(in: group).bits("last_file")
  }

  /// Gives the next identifier; nil if none is left.
  ///
  /// - Parameters:
  ///   - first: The first one of this opening of the realm; nil if it has given none. The call sets
  ///     it.
  ///   - random: Draws numbers.
  func next(after first: inout UInt64?, _ random: SaltSource) throws(StorageError) -> UInt64? {
    if let first, let row = try rows.record(ServerTables.key(first)) {
      let next = try row.bits("last") + 1
      if next < ServerTables.identLimit, try rows.record(ServerTables.key(next)) == nil {
        try row.set(next, "last")
        return next
      }
    }
    guard let drawn = try draw(random) else { return nil }
    try rows.create(under: ServerTables.key(drawn)).set(drawn, "last")
    first = drawn
    return drawn
  }

  /// Draws one of those that were not given, each with the same probability.
  private func draw(_ random: SaltSource) throws(StorageError) -> UInt64? {
    var given = [0...lastInOrder]
    var cursor = try rows.records()
    while let row = try cursor.next() {
      let (first, last) = (UInt64(bitPattern: row.key.rawValue), try row.bits("last"))
      guard first > given[given.count - 1].upperBound, last >= first,
        last < ServerTables.identLimit
      else { throw .corrupted("the identifiers from \(first) through \(last) are out of order") }
      given.append(first...last)
    }
    return Self.draw(outside: given, random)
  }

  /// Draws one of the identifiers outside of some ranges, each with the same probability; nil if
  /// none is left.
  ///
  /// - Parameter given: In ascending order, not overlapping.
  package static func draw(
    outside given: [ClosedRange<UInt64>], _ random: SaltSource
  ) -> UInt64? {
    let count = given.reduce(0) { $0 + UInt64($1.count) }
    guard count < ServerTables.identLimit else { return nil }
    var rest = random.next() % (ServerTables.identLimit - count)
    var next: UInt64 = 0
    for range in given {
      if rest < range.lowerBound - next { break }
      rest -= range.lowerBound - next
      next = range.upperBound + 1
    }
    let drawn = next + rest
    assert(
      drawn < ServerTables.identLimit && !given.contains { $0.contains(drawn) },
      "`GivenIdents` 1: an identifier is given twice")
    return drawn
  }
}
