// SPDX-License-Identifier: Apache-2.0

// A client's connection that takes the messages of an input.

#if Tools && Server
import RealmSyncProtocol

/// A `ClientMachine` with one session, and a file that knows only its cursors.
struct FollowingClient {
  private var machine: ClientMachine
  private var file: SessionFile
  private let mode: SyncMode
  private var socket: UInt64?
  private(set) var integratedCount = 0

  init(_ mode: SyncMode) {
    self.mode = mode
    machine = ClientMachine(mode: mode)
    file = SessionFile(
      version: 1,
      sets: mode == .partition
        ? [] : [QuerySet(version: 0, state: .pending, snapshotVersion: 1, text: "{}")])
    let settings = SessionSettings(partition: mode == .partition ? "\"foo\"" : nil)
    carryOut(machine.handle(.begin(session: 1, settings), now: 0), now: 0)
    carryOut(machine.handle(.wait(session: 1, .download, id: 1), now: 0), now: 0)
  }

  mutating func take(_ message: [UInt8], now: Milliseconds) {
    // A connection that was closed opens again, after its delay.
    if socket == nil { carryOut(machine.handle(.timer(.retry, jitter: 0), now: now), now: now) }
    guard let socket else { return }
    carryOut(
      machine.handle(.message(socket: socket, message, jitter: 0), now: now), now: now)
  }

  private mutating func carryOut(_ effects: [ClientEffect], now: Milliseconds) {
    var effects = effects[...]
    var budget = 64
    while let effect = effects.popFirst(), budget > 0 {
      budget -= 1
      switch effect {
      case .open(let number):
        socket = number
        let name = ProtocolVersion(mode: mode).description
        effects += machine.handle(
          .opened(socket: number, protocolName: name, jitter: 0), now: now)
      case .send(let bytes, _):
        guard let socket else { continue }
        effects += machine.handle(.sent(socket: socket, byteCount: bytes.count), now: now)
      case .close: socket = nil
      case .needsToken: effects += machine.handle(.tokenRefreshed, now: now)
      case .needsLocation: effects += machine.handle(.locationRefreshed, now: now)
      case .store(let session, let request, let what):
        let reply = answer(what)
        effects += machine.handle(
          .stored(session: session, request: request, reply), now: now)
      default: break
      }
    }
  }

  private mutating func answer(_ request: StoreRequest) -> StoreReply {
    do throws(StoreFailure) {
      switch request {
      case .begin, .read: break
      case .adoptIdent(let ident, let salt): (file.ident, file.salt) = (ident, salt)
      case .scanUploads:
        return .uploads(
          UploadBatch(progress: UploadCursor(clientVersion: file.version)), file)
      case .integrate(let received): try integrate(received)
      case .integrateBootstrap(let received, let version):
        try integrate(received)
        set(version, .awaitingMark)
      case .keepBootstrapPart(let received, let version, let isLast):
        _ = try received.entries()
        if isLast { file.cursors = received.download.cursors }
        set(version, .bootstrapping)
      case .processBootstrap(let version): set(version, .awaitingMark)
      case .markComplete(let version): set(version, .complete)
      case .rejectQuery(let version, _): set(version, .error)
      }
      file.version += 1
      return .done(file)
    } catch { return .failed(error) }
  }

  private mutating func integrate(_ received: ReceivedDownload) throws(StoreFailure) {
    for entry in try received.entries() {
      _ = try? ChangesetParser.parse(entry.changeset, instructionCountMax: 2_000)
    }
    file.cursors = received.download.cursors
    integratedCount += 1
  }

  private mutating func set(_ version: UInt64, _ state: QuerySet.State) {
    for index in file.sets.indices where file.sets[index].version == version {
      file.sets[index].state = state
    }
  }
}
#endif
