// SPDX-License-Identifier: Apache-2.0

// Faults that are planted in files after their resets, and what the checker of the random runs says
// of them.

import RealmStorage
import RealmSync
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

struct RecoveryCheckerTests {
  /// A device that has changed item 1, erased item 2 and made item 3 without uploading it.
  private func bench() async throws -> ResetBench {
    try await ResetBench(
      [
        Items.changeset { items in
          items.addClass()
          for id in 1...2 as ClosedRange<Int64> {
            items.create(id)
            items.setText("server \(id)", of: id)
          }
        }
      ],
      uploaded: [
        { group in
          try Items.makeClass(group)
          for id in 1...2 as ClosedRange<Int64> { try Items.put(id, "device", group) }
        }
      ],
      waiting: [
        { try Items.put(1, "own", $0) }, { try Self.erase(2, $0) }, { try Items.put(3, "new", $0) },
      ])
  }

  private static func erase(_ id: Int64, _ group: WriteGroup) throws {
    let table = try Items.table(group)
    try table.delete(try #require(try table.findRow(primaryKey: .int(id))).key)
  }

  /// Writes without a recorder, as a wrong reset would.
  private func plant(_ device: TestDevice, _ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(device.file.beginWrite())
    try body(group)
    _ = try group.commit()
  }

  /// `RecoveryChecker` 1
  @Test func aFileThatIsNotItsCopyIsFound() async throws {
    let bench = try await bench()
    let outcome = try #require(try await bench.reset(.discard))
    let (file, copy) = (bench.device.file, bench.copy.file)
    try expectEqual(RecoveryChecker().problems(outcome, file, copy), [])
    try plant(bench.device) { try Items.put(9, "more", $0) }
    try expectEqual(RecoveryChecker().problems(outcome, file, copy), ["the file is not its copy"])
  }

  /// `RecoveryChecker` 2 and 3
  @Test func whatARecoveryLosesIsFound() async throws {
    let bench = try await bench()
    let outcome = try #require(try await bench.reset(.recover))
    let (file, copy) = (bench.device.file, bench.copy.file)
    try expectEqual(RecoveryChecker().problems(outcome, file, copy), [])
    try plant(bench.device) { try Items.put(1, "server 1", $0) }
    try expectEqual(RecoveryChecker().problems(outcome, file, copy).count, 1)
    try plant(bench.device) { try Items.put(2, "server 2", $0) }
    try expectEqual(RecoveryChecker().problems(outcome, file, copy).count, 2)
    try plant(bench.device) { try Self.erase(3, $0) }
    try expectEqual(RecoveryChecker().problems(outcome, file, copy).count, 3)
  }
}
