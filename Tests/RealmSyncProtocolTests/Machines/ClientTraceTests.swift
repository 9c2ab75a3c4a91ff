// SPDX-License-Identifier: Apache-2.0

// The client's session in the traces of the specification (P1 D.2).

import RealmSyncProtocol
import Testing

@Suite struct ClientTraceTests {
  private static let query = #"{"Item":"(count > -1)"}"#
  private static let empty = "1 0 347155200000 1 0 0 "
  private static let bind = "bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":0}"

  private static func cursors(
    _ server: UInt64, _ client: UInt64, up: UInt64 = 0, _ upServer: UInt64 = 0
  ) -> SyncCursors {
    SyncCursors(
      download: DownloadCursor(serverVersion: server, clientVersion: client),
      upload: UploadCursor(clientVersion: up, serverVersion: upServer),
      latest: SaltedVersion(version: server, salt: 7777))
  }

  private static func set(
    _ version: UInt64, _ state: QuerySet.State, _ snapshot: UInt64
  ) -> QuerySet {
    QuerySet(
      version: version, state: state, snapshotVersion: snapshot, text: version == 0 ? "{}" : query)
  }

  /// A new flexible file up to the first bootstrap with subscriptions.
  static func newFile() throws -> ScriptedClient {
    var client = ScriptedClient()
    var file = SessionFile(version: 1, sets: [set(0, .pending, 1)])
    client.connect()
    #expect(client.takeRequests() == [.begin])
    client.reply(.done(file))
    #expect(client.takeSent() == [bind])
    client.receive("ident 1 2 1002\n")
    #expect(client.requests.last?.request == .adoptIdent(FileIdentifier(2), salt: 1002))
    file = SessionFile(version: 2, ident: FileIdentifier(2), salt: 1002, sets: file.sets)
    client.reply(.done(file))
    #expect(client.takeSent() == ["ident 1 2 1002 0 0 0 0 0 2\n{}", "mark 1 1\n"])
    client.receive("download 1 1 0 1 7777 0 0 0 1 1 0 23 23\n" + empty)
    client.receive("mark 1 1\n")
    #expect(client.takeSent() == [])
    client.reply(.done(file))
    #expect(client.requests.last?.request == .processBootstrap(queryVersion: 0))
    // Meanwhile the app writes its schema and a subscription.
    file.version = 6
    file.cursors = cursors(1, 0)
    file.sets = [set(0, .awaitingMark, 1), set(1, .pending, 6)]
    client.reply(.done(file))
    #expect(client.requests.last?.request == .markComplete(queryVersion: 0))
    file.sets[0].state = .complete
    client.reply(.done(file))
    #expect(client.requests.last?.request == .scanUploads(after: 0, through: 6))
    client.reply(
      UploadBatch(
        entries: [
          UploadEntry(
            clientVersion: 5, serverVersion: 0,
            timestamp: OriginTimestamp(milliseconds: 347_155_200_000),
            changeset: [UInt8](repeating: 120, count: 175))
        ], progress: UploadCursor(clientVersion: 6), lockedServerVersion: 1))
    #expect(
      client.takeSent() == [
        "upload 1 0 198 0 6 0 1\n5 0 347155200000 0 175 " + String(repeating: "x", count: 175),
        "query 1 1 23\n" + query, "mark 1 2\n",
      ])
    return client
  }

  @Test func aNewFlexibleFile() throws {
    var client = try Self.newFile()
    var file = SessionFile(
      version: 7, ident: FileIdentifier(2), salt: 1002, cursors: Self.cursors(2, 6, up: 6),
      sets: [Self.set(0, .complete, 1), Self.set(1, .pending, 6)])
    client.receive("download 1 2 6 2 7777 6 0 0 2 1 0 0 0\n")
    client.reply(.done(file))
    // Remote versions need no upload, but are acknowledged.
    #expect(client.requests.last?.request == .scanUploads(after: 6, through: nil))
    client.reply(UploadBatch(progress: UploadCursor(clientVersion: 7, serverVersion: 0)))
    client.receive("download 1 2 6 2 7777 6 0 1 1 1 0 23 23\n" + "2" + Self.empty.dropFirst())
    file.sets[1].state = .bootstrapping
    client.reply(.done(file))
    file.version = 11
    file.sets = [Self.set(1, .awaitingMark, 6)]
    client.reply(.done(file))
    client.reply(
      UploadBatch(
        progress: UploadCursor(clientVersion: 11, serverVersion: 1), lockedServerVersion: 1))
    #expect(client.takeSent() == ["upload 1 0 0 0 11 1 1\n"])
    client.receive("mark 1 2\n")
    #expect(client.requests.last?.request == .markComplete(queryVersion: 1))
    #expect(!client.others.contains { if case .report(.failed) = $0 { true } else { false } })
  }

  @Test func resumingTheFile() throws {
    var client = ScriptedClient()
    client.connect()
    client.reply(
      .done(
        SessionFile(
          version: 19, ident: FileIdentifier(2), salt: 1002,
          cursors: Self.cursors(4, 18, up: 18, 3), sets: [Self.set(1, .complete, 6)])))
    #expect(
      client.takeSent() == [
        "bind 1 37 0 0 0\n{\"schemaVersion\":0,\"sessionReason\":0}",
        "ident 1 2 1002 4 18 4 7777 1 23\n" + Self.query, "mark 1 1\n",
      ])
  }

  @Test func aPartition() throws {
    var client = ScriptedClient(.partition)
    client.connect()
    client.reply(.done(SessionFile(version: 1)))
    #expect(client.takeSent() == ["bind 1 5 0 1 0\n\"foo\""])
    client.receive("ident 1 2 1002\n")
    client.reply(.done(SessionFile(version: 2, ident: FileIdentifier(2), salt: 1002)))
    #expect(client.takeSent() == ["ident 1 2 1002 0 0 0 0\n", "mark 1 1\n"])
    // A realm without any version.
    client.receive("download 1 0 0 0 0 0 0 0 0 0 0\n")
    #expect(client.takeOthers() == [])
    client.reply(.done(SessionFile(version: 3, ident: FileIdentifier(2), salt: 1002)))
    client.receive("mark 1 1\n")
    #expect(client.requests.last?.request == .scanUploads(after: 0, through: nil))
  }

  /// The fresh copy of a client reset uploads nothing.
  @Test func aFreshCopy() throws {
    var client = ScriptedClient(settings: SessionSettings(purpose: .freshCopy))
    client.connect()
    var file = SessionFile(version: 1, sets: [Self.set(0, .pending, 1)])
    client.reply(.done(file))
    #expect(client.takeSent() == ["bind 1 37 0 1 0\n{\"schemaVersion\":0,\"sessionReason\":1}"])
    client.receive("ident 1 3 1003\n")
    file = SessionFile(
      version: 2, ident: FileIdentifier(3), salt: 1003,
      sets: [Self.set(0, .pending, 1)])
    client.reply(.done(file))
    #expect(client.takeSent() == ["ident 1 3 1003 0 0 0 0 0 2\n{}", "mark 1 1\n"])
    client.receive("download 1 4 0 4 7777 0 0 0 1 1 0 23 0\n4" + Self.empty.dropFirst())
    client.reply(.done(file))
    file.version = 3
    file.sets = [Self.set(0, .awaitingMark, 1)]
    client.reply(.done(file))
    client.receive("mark 1 1\n")
    file.sets = [Self.set(0, .complete, 1), Self.set(1, .pending, 3)]
    client.reply(.done(file))
    #expect(client.takeSent() == ["query 1 1 23\n" + Self.query, "mark 1 2\n"])
    client.announce(9)
    client.handle(.end(session: 1))
    #expect(client.takeSent() == ["unbind 1\n"])
  }

  /// SY8
  @Test func equalInputsGiveEqualEffects() throws {
    #expect(try Self.newFile().log == Self.newFile().log)
  }
}
