// SPDX-License-Identifier: Apache-2.0

// What is recorded of transactions of which parts are undone.

import RealmReplication
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct UndonePartTests {
  /// Of two equal databases one has parts that are undone: the bytes of its changesets are those of
  /// the other.
  @Test(arguments: RandomRuns.seeds(12))
  func whatIsUndoneIsNotRecorded(seed: UInt64) throws {
    let (replica, twin) = (try ReplicaFile(), try ReplicaFile())
    var schema = SeededGenerator(seed: seed)
    var other = schema
    _ = try replica.write { try RandomSchema.make(in: $0, &schema, share: 12) }
    _ = try twin.write { try RandomSchema.make(in: $0, &other, share: 12) }
    var writer = RandomWriter(seed: seed)
    for transaction in 0..<10 as Range<UInt64> {
      var plain = writer
      let expected = try twin.write { group in
        for _ in 0..<3 { try plain.write(group) }
      }
      let bytes = try replica.write { group in
        for part in 0..<3 as Range<UInt64> {
          try writer.write(group)
          var undone = writer
          undone.random = SeededGenerator(seed: seed << 20 | transaction << 8 | part)
          try group.beginSavepoint()
          try undone.write(group)
          // A part of the part stays in it.
          try group.beginSavepoint()
          try undone.write(group)
          group.keepSavepoint()
          group.rollBackSavepoint()
        }
      }
      try #require(bytes == expected, "seed \(seed), transaction \(transaction)")
    }
    try expectEqual(replica.digest(), twin.digest())
  }
}
