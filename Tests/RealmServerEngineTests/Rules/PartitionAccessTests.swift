// SPDX-License-Identifier: Apache-2.0

// Sessions of users with and without rights to a partition.

import RealmFormats
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct PartitionAccessTests {
  private typealias Text = ChangesetText

  /// Users write to the partition of their name, and read all but "closed".
  private static let rules = """
    {"read": {"%%partition": {"$ne": "closed"}}, "write": {"%%partition": "%%user.id"}}
    """

  private static func bench() throws -> SessionBench {
    let permissions = try PartitionPermissions(
      try JSONParser.parse(rules), at: [], RuleReader())
    return SessionBench(
      .partition,
      access: PartitionAccess(permissions) { (id) throws(SessionRefusal) in RuleUser(id: id) })
  }

  /// A session of a user with a new file of the partition of "ann".
  private static func session(
    _ bench: SessionBench, _ user: String, connection: UInt64
  ) async throws -> ServerSession {
    let store = bench.store(connection: connection)
    let reply = await store.perform(bench.bind("\"ann\"", user: user, needsIdent: true))
    guard case .bound(let ident, let salt) = reply else {
      throw SessionRefusal(.other, "\(reply)")
    }
    _ = await store.perform(.claim(bench.ident((ident, salt))))
    return store
  }

  @Test func whoMayNotReadIsNotBoundAndMakesNoRealm() async throws {
    let bench = try Self.bench()
    let reply = await bench.store().perform(
      bench.bind("\"closed\"", user: "ann", needsIdent: true))
    guard case .refused(let refusal) = reply else {
      Issue.record("\(reply)")
      return
    }
    expectEqual(refusal.code, .permissionDenied)
    expectEqual(refusal.document.action, .applicationBug)
    expectEqual(
      refusal.document.message, "Permission denied: the user may not read the partition")
    #expect(try await bench.app.realms.realms(ofApp: "test").isEmpty)
    // A bad value is a bad value for everybody.
    await expectEqual(
      bench.store().perform(bench.bind("/x", user: "ann", needsIdent: true)).code,
      .illegalRealmPath)
  }

  @Test func aReaderGetsWhatTheWriterUploadsAndChangesNothing() async throws {
    let bench = try Self.bench()
    let writer = try await Self.session(bench, "ann", connection: 1)
    let reader = try await Self.session(bench, "bob", connection: 2)
    await expectEqual(bench.upload([Text.schema(), Text.create("a")], by: writer).code, nil)
    // Each client declares its classes, the realm takes none of a reader.
    await expectEqual(bench.upload([Self.otherClass()], by: reader).code, nil)
    let download = try await bench.download(after: DownloadCursor(), of: reader)
    expectEqual(download.cursors.upload.clientVersion, 1)
    #expect(try !download.lines().isEmpty)
    #expect(try download.lines().allSatisfy { !$0.contains("Other") })
    let back = try await bench.download(after: DownloadCursor(), of: writer)
    #expect(try back.lines().isEmpty)
    // Its writes reach no other device.
    let head = download.cursors.latest.version
    for (version, change) in [(2, Text.create("b")), (3, Text.set("a", count: 1))] {
      let reply = await bench.upload([change], from: UInt64(version), base: head, by: reader)
      expectEqual(reply.code, nil)
    }
    let after = try await bench.download(
      after: DownloadCursor(serverVersion: 2, clientVersion: 2), of: writer)
    #expect(try after.lines().isEmpty && after.cursors.latest.version > head)
  }

  @Test func permissionsOfPartitionsAllowNoFlexibleSession() async throws {
    let access = PartitionAccess(PartitionPermissions(read: .constant(true))) {
      (id) throws(SessionRefusal) in RuleUser(id: id)
    }
    let bench = SessionBench(.flexible, access: access)
    let reply = await bench.store().perform(bench.bind(user: "ann", needsIdent: true))
    expectEqual(reply.code, .permissionDenied)
  }

  /// Where a function decides, what it throws is no answer: the client tries again.
  @Test func aFunctionDecides() async throws {
    struct NotNow: Error {}
    let access = PartitionAccess(
      .function { (user, partition) in
        guard user.customData != nil else { throw NotNow() }
        if partition == .string(user.id) { return .write }
        return partition == .string("public") ? .read : .none
      }
    ) { (id) throws(SessionRefusal) in
      RuleUser(id: id, customData: id == "new" ? nil : .document([]))
    }
    try await expectEqual(access.rights(of: "ann", in: "\"ann\""), .all)
    try await expectEqual(
      access.rights(of: "ann", in: "\"public\""), SessionRights(mayWrite: false))
    for (user, partition, code) in [
      ("ann", "\"bob\"", SessionErrorCode.permissionDenied), ("new", "\"new\"", .sessionClosed),
      // What is no value is no question for it.
      ("ann", "{", .permissionDenied), ("new", nil, .permissionDenied),
    ] as [(String, String?, SessionErrorCode)] {
      let refusal = await #expect(throws: SessionRefusal.self) {
        try await access.rights(of: user, in: partition)
      }
      expectEqual(refusal?.code, code, "\(user) \(partition ?? "")")
    }
  }

  /// A class of this device alone.
  private static func otherClass() -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (table, id) = (encoder.intern("Other"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(
          table: table, kind: .topLevel, key: .init(field: id, type: .string, isNullable: false))))
    return encoder.bytes
  }
}
