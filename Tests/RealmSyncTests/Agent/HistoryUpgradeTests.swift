// SPDX-License-Identifier: Apache-2.0

// Files whose history is of the version before: their changesets are not framed.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct HistoryUpgradeTests {
  private static let changeset = Items.changeset { items in
    items.addClass()
    items.create(1)
  }

  /// A file with one local changeset, whose history is of schema version 11.
  private func makeFile() throws -> DatabaseFile {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(history: .syncClient)
    let transaction = try file.beginWrite()
    transaction.syncEntry = SyncEntry(changeset: Self.changeset)
    transaction.syncEntryByteCount = Self.changeset.count
    _ = try transaction.commit(changeset: [])
    var bytes = try system.file.contents()
    let top = Int(bytes[23] & 1) * 8
    let ref = Int(bytes[top]) | Int(bytes[top + 1]) << 8
    let width = [0, 1, 2, 4, 8, 16, 32, 64][Int(bytes[ref + 4] & 7)] / 8
    bytes[ref + 8 + 9 * width] = 11 << 1 | 1
    let older = try SimulatedFileSystem(contents: bytes).openDatabase(history: .syncClient)
    try expectEqual(older.snapshot().syncHistory()?.schemaVersion, 11)
    return older
  }

  private func expectUpgraded(_ file: DatabaseFile) throws {
    let history = try #require(try file.snapshot().syncHistory())
    expectTrue(history.isUpgraded)
    let bytes = try StoredChangesetFraming.decode(history.changeset(at: 2))
    expectEqual(bytes, Self.changeset)
    try expectEqual(DatabaseCheck.run(file.snapshot()), [])
  }

  @Test func aSessionUpgradesIt() async throws {
    let file = try makeFile()
    let agent = try SyncAgent(file)
    let before = try UploadScan().batch(in: file.snapshot(), after: 0)
    try expectEqual(before.body.uploadEntries().map(\.changeset), [Self.changeset])
    _ = try await agent.activate()
    try expectUpgraded(file)
    try expectEqual(UploadScan().batch(in: file.snapshot(), after: 0).body, before.body)
  }

  @Test func aLocalWriteUpgradesIt() throws {
    let file = try makeFile()
    let group = try WriteGroup(file.beginWrite())
    try RecordedWrite().attach(to: group)
    try Items.makeClass(group)
    _ = try group.commit()
    try expectUpgraded(file)
  }

  @Test func anIntegrationUpgradesIt() throws {
    let file = try makeFile()
    var downloads = DownloadIntegration(file)
    try downloads.integrate(.of([Items.changeset { $0.addClass() }]))
    try expectUpgraded(file)
  }

  @Test func theIdentifierUpgradesIt() throws {
    let file = try makeFile()
    try IdentAdoption.adopt(FileIdentifier(4), salt: 1, in: file)
    try expectUpgraded(file)
  }
}
