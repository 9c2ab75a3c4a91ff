// SPDX-License-Identifier: Apache-2.0

// Conversations with a peer that sends anything.

#if Tools && Server
import RealmSyncProtocol

extension FuzzTarget {
  /// The end of each message of an input.
  private static let separator: UInt8 = 0xFF

  /// Lets a server's connection, or a client's, take one message after the other.
  static let connection = FuzzTarget(
    name: "connection", byteCountMax: 2_048,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let mode: SyncMode = first & 2 == 0 ? .flexible : .partition
      let messages = input.dropFirst()
        .split(separator: separator, maxSplits: 64, omittingEmptySubsequences: true).map(Array.init)
      return first & 1 == 0 ? serve(messages, mode) : follow(messages, mode)
    },
    seeds: { _ in
      func seed(_ first: UInt8, _ texts: [String]) -> [UInt8] {
        [first] + Array(texts.map { Array($0.utf8) }.joined(separator: [separator]))
      }
      let (bind, flexible) = (#"{"schemaVersion":0,"sessionReason":0}"#, #"{"Item":"a > 1"}"#)
      return [
        seed(
          0,
          [
            "bind 1 37 0 1 0\n" + bind, "ident 1 2 1002 0 0 0 0 0 2\n{}", "mark 1 1\n",
            "upload 1 0 16 0 6 0 1\n6 0 347 0 4 abcd", "query 1 1 16\n" + flexible,
            "ping 100 20\n", "mark 1 2\n", "upload 1 0 0 0 11 1 1\n", "unbind 1\n",
          ]),
        seed(
          2,
          [
            "bind 1 5 0 0 0\n\"foo\"", "ident 1 2 1002 0 0 0 0\n", "upload 1 0 0 0 1 0 0\n",
            "mark 1 1\n", "json_error 112 16 1\n{\"message\":\"no\"}", "bind 2 5 0 1 0\n\"foo\"",
          ]),
        seed(
          1,
          [
            "ident 1 2 1002\n",
            "download 1 1 0 1 7777 0 0 0 1 1 0 23 0\n1 0 347155200000 1 0 0 ", "mark 1 1\n",
            "download 1 2 5 2 7777 5 0 0 2 1 0 0 0\n", "query_error 226 2 1 1\nno", "pong 1\n",
            "log_message 1 38\n{\"level\":\"info\",\"msg\":\"m\",\"co_id\":\"c\"}", "unbound 1\n",
          ]),
        seed(
          3,
          [
            "ident 1 2 1002\n", "download 1 3 0 3 7777 0 0 0 0 27 0\n3 0 347155200000 1 4 4 abcd",
            "mark 1 1\n",
            "json_error 208 84 1\n{\"message\":\"\",\"logURL\":\"\",\"tryAgain\":false,"
              + "\"shouldClientReset\":true,\"action\":\"Warning\"}",
          ]),
      ]
    })

  /// A server's connection with a realm that answers at once.
  private static func serve(_ messages: [[UInt8]], _ mode: SyncMode) -> Outcome {
    var limits = ServerConnectionMachine.Limits()
    (limits.sessionCount, limits.heldByteCount, limits.outputByteCount) = (3, 400, 300)
    var connection = ServerConnectionMachine(
      version: ProtocolVersion(mode: mode), served: mode, limits: limits, now: 0)
    _ = connection.begin()
    var head: UInt64 = 3
    for (index, message) in messages.enumerated() {
      let now = Milliseconds(index * 500)
      var effects = connection.handle(.message(message), now: now)[...]
      var budget = 64
      while let effect = effects.popFirst(), budget > 0 {
        budget -= 1
        switch effect {
        case .send(let bytes, _):
          effects += connection.handle(.written(byteCount: bytes.count), now: now)
        case .store(let session, let request, let what):
          if case .integrate = what { head += 1 }
          let reply = answer(what, session, head, mode)
          effects += connection.handle(
            .session(session, .stored(request: request, reply)), now: now)
        case .takeRoom(let session, _):
          effects += connection.handle(.session(session, .hasRoom), now: now)
        case .close: return .refused
        case .setTimer, .began, .giveRoomBack, .ended, .notice: break
        }
      }
    }
    return .read
  }

  private static func answer(
    _ request: ServerStoreRequest, _ session: UInt64, _ head: UInt64, _ mode: SyncMode
  ) -> ServerStoreReply {
    let salted = SaltedVersion(version: head, salt: 7_777)
    let file = ServerFile(ident: FileIdentifier(2), salt: 1_002)
    switch request {
    case .bind(let bind):
      return bind.needsIdent ? .bound(ident: FileIdentifier(2), salt: 1_002) : .done
    case .lookUp: return .file(ServerFileLookup(file: file, head: salted, latestSalt: 7_777))
    case .claim: return .claimed(file, rejected: [])
    case .currentHead: return .head(salted)
    case .setQuery: return .done
    case .integrate: return .integrated(head: salted, rejected: [])
    case .nextDownload(let cursor):
      return .download(
        ServerMessage.Download(
          cursors: SyncCursors(
            download: DownloadCursor(
              serverVersion: max(head, cursor.serverVersion), clientVersion: cursor.clientVersion),
            latest: SaltedVersion(version: max(head, cursor.serverVersion), salt: 7_777)),
          progress: mode == .flexible
            ? .flexible(queryVersion: 0, batch: .last, done: .estimate(1))
            : .partition(byteCountLeft: 0),
          body: MessageBody(plain: [])))
    }
  }

  /// A client's connection with a file that has nothing of its own.
  private static func follow(_ messages: [[UInt8]], _ mode: SyncMode) -> Outcome {
    var client = FollowingClient(mode)
    for (index, message) in messages.enumerated() {
      client.take(message, now: Milliseconds(index * 500))
    }
    return client.integratedCount > 0 ? .read : .refused
  }
}
#endif
