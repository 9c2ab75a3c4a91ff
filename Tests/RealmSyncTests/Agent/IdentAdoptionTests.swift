// SPDX-License-Identifier: Apache-2.0

// A file gets its identifier (P5 3).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct IdentAdoptionTests {
  /// Two objects without primary key, the second linked to in each way.
  private func makeDevice() throws -> TestDevice {
    let device = try TestDevice()
    try device.write { group in
      let table = try group.createTable(named: "class_Note")
      let link = try table.addColumn(named: "next", type: .link, target: table.key)
      let list = try table.addColumn(
        named: "list", type: .link, collection: .list, target: table.key)
      let set = try table.addColumn(
        named: "set", type: .link, collection: .set, target: table.key)
      let (first, second) = (try table.createObject().key, try table.createObject().key)
      try table.set(.link(second), link, first)
      try table.list(list, first).insert(.link(second), at: 0)
      try table.set(set, first).insert(.link(second))
      try table.delete(try table.createObject().key)
    }
    return device
  }

  private func keys(_ device: TestDevice) throws -> [UInt64] {
    let history = try device.history()
    let version = try #require(device.written.first)
    let bytes = try StoredChangesetFraming.decode(history.changeset(at: version))
    let changeset = try ChangesetParser.parse(bytes)
    return changeset.instructions.flatMap { instruction -> [UInt64] in
      var found: [PrimaryKey] = []
      if let object = instruction.object { found.append(object.key) }
      if case .link(_, let key) = instruction.payload { found.append(key) }
      return found.compactMap { if case .globalKey(let key) = $0 { key.high } else { nil } }
    }
  }

  @Test func recordedKeysGetTheIdentifier() async throws {
    let device = try makeDevice()
    #expect(try keys(device).allSatisfy { $0 == 0 })
    let count = try keys(device).count
    let before = try await device.agent.state()
    let state = try await device.agent.adoptIdent(FileIdentifier(1000), salt: 3)
    expectEqual(state.ident, FileIdentifier(1000))
    expectEqual(state.salt, 3)
    expectEqual(state.version, before.version + 1)
    let keys = try keys(device)
    expectEqual(keys.count, count)
    #expect(keys.allSatisfy { $0 == 1000 })
    expectTrue(count >= 10)
    let version = try #require(device.written.first)
    let bytes = try StoredChangesetFraming.decode(device.history().changeset(at: version))
    expectEqual(state.uploadableByteCount, bytes.count)
    expectTrue(state.uploadableByteCount > before.uploadableByteCount)
    try expectEqual(device.findings(), [])
  }

  @Test func writesAfterItHaveTheIdentifier() async throws {
    let device = try TestDevice()
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 3)
    try device.write { group in
      _ = try group.createTable(named: "class_Note").createObject()
    }
    try expectEqual(keys(device), [9])
  }

  @Test func theClientVersionsOfTheCursorsBeginAnew() async throws {
    let device = try makeDevice()
    let transaction = try device.file.beginWrite()
    try transaction.updateSyncProgress { progress in
      progress.upload.clientVersion = 2
      progress.download = .init(serverVersion: 4, clientVersion: 2)
    }
    _ = try transaction.commit(changeset: [])
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 3)
    expectEqual(state.cursors.upload.clientVersion, 0)
    expectEqual(state.cursors.download, DownloadCursor(serverVersion: 4, clientVersion: 0))
  }

  @Test func theSameAgainChangesNothing() async throws {
    let device = try makeDevice()
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 3)
    try await expectEqual(device.agent.adoptIdent(FileIdentifier(9), salt: 3), state)
  }

  @Test func anotherIdentifierIsRefused() async throws {
    let device = try makeDevice()
    let state = try await device.agent.adoptIdent(FileIdentifier(9), salt: 3)
    for (ident, salt) in [(10, 3), (9, 4)] as [(UInt64, UInt64)] {
      await #expect(throws: IntegrationError.self) {
        try await device.agent.adoptIdent(FileIdentifier(ident), salt: salt)
      }
    }
    try await expectEqual(device.agent.state(), state)
  }

  @Test(arguments: [(0, 1), (1 << 30, 1), (2, 0), (2, UInt64(1) << 63)] as [(UInt64, UInt64)])
  func identifiersThatObjectKeysCannotHoldAreRefused(_ ident: UInt64, _ salt: UInt64) async throws {
    let device = try makeDevice()
    await #expect(throws: IntegrationError.self) {
      try await device.agent.adoptIdent(FileIdentifier(ident), salt: salt)
    }
    try await expectEqual(device.agent.state().ident, .own)
  }
}
