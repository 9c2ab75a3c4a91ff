// SPDX-License-Identifier: Apache-2.0

// The server's connection with a client that sends anything (SY7).

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct ServerConnectionFuzzTests {
  /// What a client has said on a number.
  private struct Client {
    var isIdentified = false
    var mark: UInt64 = 0
    var query: UInt64 = 0
    var clientVersion: UInt64 = 0
  }

  private struct Run {
    var random: SeededGenerator
    var connection: ScriptedServerConnection
    var open: [(session: UInt64, number: UInt64, request: ServerStoreRequest)] = []
    /// The sessions that wait for room, and those that have some.
    var waiting: [UInt64] = []
    var roomy: Set<UInt64> = []
    var head: UInt64 = 3
    /// The sessions as a client that keeps the rules knows them, by their numbers.
    private var clients: [UInt64: Client] = [:]

    init(_ seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let mode: SyncMode = random.next() % 2 == 0 ? .partition : .flexible
      var limits = ServerConnectionMachine.Limits()
      (limits.sessionCount, limits.heldByteCount) = (3, 400)
      (limits.outputByteCount, limits.downloadCount) = (300, 2)
      limits.plainUploadByteCount = random.next() % 2 == 0 ? 5 : 64 << 10
      connection = ScriptedServerConnection(ProtocolVersion(mode: mode), limits: limits)
    }

    mutating func number(_ bound: UInt64) -> UInt64 { random.next() % bound }

    /// Mostly a small number.
    mutating func field() -> UInt64 {
      switch number(12) {
      case 0: UInt64(Int64.max)
      case 1: number(1 << 40)
      default: number(6)
      }
    }

    /// A message that the client may send now. Without these a connection ends at once, and the
    /// search sees its beginning alone.
    mutating func legalMessage() -> String {
      let session = 1 + number(4)
      let isFlexible = connection.machine.version.mode == .flexible
      guard var client = clients[session] else {
        clients[session] = Client()
        let path = isFlexible ? "{\"schemaVersion\":0}" : "\"foo\""
        return "bind \(session) \(path.utf8.count) 0 \(number(2)) 0\n\(path)"
      }
      defer { if clients[session] != nil { clients[session] = client } }
      guard client.isIdentified else {
        client.isIdentified = true
        return "ident \(session) \(session + 1) 1002 0 0 0 0" + (isFlexible ? " 0 2\n{}" : "\n")
      }
      switch number(12) {
      case 0:
        clients[session] = nil
        return "unbind \(session)\n"
      case 1...3:
        client.mark += 1 + number(2)
        return "mark \(session) \(client.mark)\n"
      case 4...6 where isFlexible:
        client.query += 1
        return "query \(session) \(client.query) 2\n{}"
      default:
        client.clientVersion += 1 + number(2)
        let body = "\(client.clientVersion) 0 5 0 4 abcd"
        let progress = "\(client.clientVersion) 0 0"
        return "upload \(session) 0 \(body.utf8.count) 0 \(progress)\n\(body)"
      }
    }

    mutating func message() -> String {
      let session = 1 + number(5)
      let isFlexible = connection.machine.version.mode == .flexible
      switch number(11) {
      case 0, 1:
        let path = isFlexible ? "{\"schemaVersion\":0}" : "\"foo\""
        return "bind \(session) \(path.utf8.count) 0 \(number(2)) 0\n\(path)"
      case 2, 3:
        // Often the file that the realm knows.
        let file = number(4) == 0 ? field() : session + 1
        let cursors = number(3) == 0 ? "\(field()) \(field()) \(field()) 7777" : "0 0 0 0"
        return "ident \(session) \(file) 1002 \(cursors)" + (isFlexible ? " 0 2\n{}" : "\n")
      case 4: return "mark \(session) \(field())\n"
      case 5: return "unbind \(session)\n"
      case 6: return "ping \(field()) \(field())\n"
      case 7:
        let body = "\(field()) \(field()) \(field()) 0 \(number(8)) abcd"
        return "upload \(session) 0 \(body.utf8.count) 0 \(field()) \(field()) \(field())\n\(body)"
      case 8: return "upload \(session) 0 0 0 \(field()) \(field()) \(field())\n"
      case 9: return isFlexible ? "query \(session) \(field()) 2\n{}" : "mark \(session) 1\n"
      default: return "json_error 212 16 \(session)\n{\"message\":\"no\"}"
      }
    }

    /// A realm's answer.
    mutating func reply(_ session: UInt64, to request: ServerStoreRequest) -> ServerStoreReply {
      if number(12) == 0 { return .refused(SessionRefusal(.sessionClosed, "busy")) }
      let salted = SaltedVersion(version: head, salt: 7777)
      switch request {
      case .bind(let bind):
        return bind.needsIdent ? .bound(ident: FileIdentifier(session + 1), salt: 1002) : .done
      case .lookUp(let ident):
        return .file(
          ServerFileLookup(
            file: ServerFile(ident: ident.file, salt: 1002), head: salted, latestSalt: 7777,
            isBoundOnConnection: number(60) == 0))
      case .claim: return .claimed(ServerFile(ident: FileIdentifier(2), salt: 1002), rejected: [])
      case .currentHead: return .head(salted)
      case .setQuery: return number(3) == 0 ? .queryRefused(message: "no") : .done
      case .integrate:
        head += 1
        return .integrated(head: SaltedVersion(version: head, salt: 7777), rejected: [])
      case .nextDownload(let cursor):
        let isFlexible = connection.machine.version.mode == .flexible
        let batch: ServerMessage.BatchState = number(2) == 0 ? .steady : .last
        return .download(
          ServerMessage.Download(
            cursors: SyncCursors(
              download: DownloadCursor(
                serverVersion: max(head, cursor.serverVersion),
                clientVersion: cursor.clientVersion),
              latest: SaltedVersion(version: max(head, cursor.serverVersion), salt: 7777)),
            progress: isFlexible
              ? .flexible(queryVersion: 0, batch: batch, done: .estimate(1))
              : .partition(byteCountLeft: 0),
            body: MessageBody(plain: Array(repeating: 7, count: Int(number(200))))))
      }
    }

    mutating func step() {
      switch number(10) {
      case 0...4:
        var bytes = Array((number(30) == 0 ? message() : legalMessage()).utf8)
        if number(100) == 0, !bytes.isEmpty {
          bytes[Int(number(UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
        }
        connection.handle(.message(bytes))
      case 5...7:
        guard !open.isEmpty else { return }
        let next = open.remove(at: Int(number(UInt64(open.count))))
        let reply = reply(next.session, to: next.request)
        connection.handle(.session(next.session, .stored(request: next.number, reply)))
      case 8:
        connection.now += number(100_000)
        connection.handle(.timer)
      default:
        _ = connection.takeSent()
        giveRoom()
      }
      open += connection.takeOpenRequests()
      noteRooms()
    }

    private mutating func giveRoom() {
      guard !waiting.isEmpty else { return }
      let next = waiting.removeFirst()
      roomy.insert(next)
      connection.handle(.session(next, .hasRoom))
    }

    /// Each session gives its room back once, and no session waits at the end.
    private mutating func noteRooms() {
      for effect in connection.takeOthers() {
        switch effect {
        case .takeRoom(let session, _):
          expectFalse(waiting.contains(session) || roomy.contains(session))
          waiting.append(session)
        case .giveRoomBack(let session):
          let isWaiting = waiting.contains(session)
          waiting.removeAll { $0 == session }
          expectTrue(roomy.remove(session) != nil || isWaiting)
        case .ended(let session):
          // With it goes its wait.
          waiting.removeAll { $0 == session }
          roomy.remove(session)
        default: break
        }
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func nothingThatAClientSendsTraps(_ block: UInt64) {
    var met: Set<String> = []
    for seed in block * 50..<block * 50 + 50 {
      var run = Run(seed)
      for _ in 0..<150 { run.step() }
      let log = run.connection.log
      met.formUnion(log.map(Self.kind))
      // `ServerConnectionMachine` 2, and each session ends once.
      if let end = log.firstIndex(where: { if case .close = $0 { true } else { false } }) {
        expectEqual(end, log.count - 1, "seed \(seed)")
        let begun = log.count { if case .began = $0 { true } else { false } }
        let ended = log.count { if case .ended = $0 { true } else { false } }
        expectEqual(begun, ended, "seed \(seed)")
      }
    }
    // A search that never reaches a part of a session finds nothing there.
    let all: Set = [
      "send", "close", "setTimer", "began", "ended", "bind",
      "lookUp", "claim", "nextDownload", "integrate", "currentHead", "setQuery",
      "notice", "takeRoom", "giveRoomBack",
    ]
    expectEqual(met, all)
  }

  private static func kind(_ effect: ServerConnectionEffect) -> String {
    switch effect {
    case .send: "send"
    case .close: "close"
    case .notice: "notice"
    case .setTimer: "setTimer"
    case .began: "began"
    case .ended: "ended"
    case .takeRoom: "takeRoom"
    case .giveRoomBack: "giveRoomBack"
    case .store(_, _, let request):
      switch request {
      case .bind: "bind"
      case .lookUp: "lookUp"
      case .claim: "claim"
      case .nextDownload: "nextDownload"
      case .integrate: "integrate"
      case .currentHead: "currentHead"
      case .setQuery: "setQuery"
      }
    }
  }
}
