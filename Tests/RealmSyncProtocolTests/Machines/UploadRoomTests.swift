// SPDX-License-Identifier: Apache-2.0

// Sessions of the server that wait for room before they unpack an UPLOAD.

import RealmSyncProtocol
import TestExtensions
import Testing

/// `ServerSessionMachine` 8
struct UploadRoomTests {
  private static let head = SaltedVersion(version: 4, salt: 7777)

  /// A session of a partition after its first DOWNLOAD, which asks for room above 1,000 bytes.
  private static func running() throws -> ScriptedServer {
    var server = ScriptedServer(.partition, plainByteCountMax: 1_000)
    try server.receive("bind 1 5 0 0 0\n\"foo\"")
    server.reply(.done)
    try server.receive("ident 1 2 1002 4 18 4 7777\n")
    let file = ServerFile(
      ident: FileIdentifier(2), salt: 1002, clientVersion: 18, reciprocalBase: 3)
    server.reply(.file(ServerFileLookup(file: file, head: head, latestSalt: 7777)))
    server.reply(.claimed(file, rejected: []))
    server.reply(
      .download(
        ServerMessage.Download(
          cursors: SyncCursors(
            download: DownloadCursor(serverVersion: 4, clientVersion: 18),
            upload: UploadCursor(clientVersion: 18, serverVersion: 3), latest: head),
          progress: .partition(byteCountLeft: 0), body: .empty)))
    _ = server.takeSent()
    return server
  }

  /// An UPLOAD with a changeset of zeros, compressed.
  private static func upload(
    _ version: UInt64, base: UInt64 = 4, byteCount: Int
  ) -> ServerSessionInput {
    let body = MessageBody(uploads: [
      UploadEntry(
        clientVersion: version, serverVersion: base, timestamp: OriginTimestamp(milliseconds: 5),
        changeset: [UInt8](repeating: 0, count: byteCount))
    ])
    return .message(
      .upload(
        .init(
          session: 1, progress: UploadCursor(clientVersion: version, serverVersion: base),
          lockedServerVersion: 0, body: body)), byteCount: body.bytes.count + 40)
  }

  private func isIntegrating(_ server: ScriptedServer) -> Bool {
    if case .integrate = server.request { true } else { false }
  }

  /// What comes after it waits with it, and DOWNLOADs do, too.
  @Test func aLargeUploadWaitsInItsPlace() throws {
    var server = try Self.running()
    server.handle(Self.upload(20, byteCount: 10_000))
    try server.receive("mark 1 1\n")
    server.handle(.head(SaltedVersion(version: 9, salt: 7777)))
    let asked = try #require(server.others.first)
    guard case .takeRoom(let count) = asked else {
      Issue.record("no room was asked for")
      return
    }
    expectTrue(count > 10_000 && count < 10_100, "\(count)")
    expectEqual(server.others, [asked])
    expectFalse(isIntegrating(server))
    // Only what has come is held.
    expectTrue(server.machine.heldByteCount < 300)
    server.handle(.hasRoom)
    expectTrue(isIntegrating(server))
    expectTrue(server.machine.heldByteCount < 300)
    expectEqual(server.others, [asked])
    server.reply(.integrated(head: Self.head, rejected: []))
    expectEqual(server.others, [asked, .giveRoomBack])
    expectEqual(server.request, .currentHead)
  }

  @Test func theNextUploadAsksAgain() throws {
    var server = try Self.running()
    server.handle(Self.upload(20, byteCount: 10_000))
    server.handle(Self.upload(21, byteCount: 2_000))
    server.handle(Self.upload(22, byteCount: 100))
    server.handle(.hasRoom)
    server.reply(.integrated(head: Self.head, rejected: []))
    expectEqual(server.others.count, 3)
    expectEqual(server.others[1], .giveRoomBack)
    server.handle(.hasRoom)
    server.reply(.integrated(head: Self.head, rejected: []))
    expectEqual(server.others.count, 4)
    // The small one needs none.
    expectTrue(isIntegrating(server))
    expectTrue(server.machine.heldByteCount > 100)
    expectEqual(server.requests.count, 7)
  }

  /// What was integrated before is not news: the room goes back at once.
  @Test func anUploadWithoutNewsGivesItsRoomBack() throws {
    var server = try Self.running()
    server.handle(Self.upload(18, base: 3, byteCount: 10_000))
    server.handle(.hasRoom)
    expectFalse(isIntegrating(server))
    expectEqual(server.others.last, .giveRoomBack)
    expectEqual(server.machine.heldByteCount, 0)
  }

  @Test func aRefusedUploadGivesItsRoomBack() throws {
    var server = try Self.running()
    server.handle(Self.upload(25, byteCount: 100))
    server.handle(Self.upload(24, byteCount: 10_000))
    server.reply(.integrated(head: Self.head, rejected: []))
    expectEqual(server.others.count, 1)
    server.handle(.hasRoom)
    expectEqual(server.takeSent().map { $0.prefix(14) }, ["json_error 210"])
    expectEqual(server.others.count { $0 == .giveRoomBack }, 1)
    expectEqual(server.machine.heldByteCount, 0)
  }

  @Test func theEndOfASessionEndsItsWait() throws {
    var unbound = try Self.running()
    unbound.handle(Self.upload(20, byteCount: 10_000))
    try unbound.receive("unbind 1\n")
    expectEqual(unbound.others.suffix(2), [.giveRoomBack, .ended])
    unbound.handle(.hasRoom)
    expectEqual(unbound.takeSent(), ["unbound 1\n"])

    var refused = try Self.running()
    refused.handle(Self.upload(20, byteCount: 10_000))
    refused.handle(.refuse(SessionRefusal(.sessionClosed, "over")))
    expectEqual(refused.others.last, .giveRoomBack)
    refused.handle(.hasRoom)
    expectFalse(isIntegrating(refused))
    expectEqual(refused.machine.heldByteCount, 0)
  }

  /// What is being integrated is in memory until it is done, whatever becomes of the session.
  @Test func aSessionThatFailsKeepsItsRoomUntilTheRealmIsDone() throws {
    var server = try Self.running()
    server.handle(Self.upload(20, byteCount: 10_000))
    server.handle(.hasRoom)
    server.handle(.refuse(SessionRefusal(.sessionClosed, "over")))
    expectEqual(server.others.count, 1)
    server.reply(.integrated(head: Self.head, rejected: []))
    expectEqual(server.others.last, .giveRoomBack)
  }

  /// A body above the limit is refused by its number, without room.
  @Test func whatIsTooLargeNeedsNoRoom() throws {
    var server = try Self.running()
    try server.receive("upload 1 1 16777217 1 20 4 0\nx")
    expectEqual(server.others.count, 2)
    guard case .closeConnection(.messageTooBig, _) = server.others.first else {
      Issue.record("the connection goes on")
      return
    }
  }
}
