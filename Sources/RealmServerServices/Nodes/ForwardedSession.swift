// SPDX-License-Identifier: Apache-2.0

// A session at its edge, whose requests the owner of the realm carries out.
//
// Invariants:
// 1. A session has one connection to the owner for its life: with that it ends.

#if Server
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The requests of a session of another server's realm.
final class ForwardedSession: ServerRequestHandler {
  private struct State {
    var client: NodeClient?
    var number: UInt64 = 0
    var isEnded = false
  }

  private static let unreachable = SessionRefusal(
    .sessionClosed, "The realm is not available; try again later")

  private let session: NodeSession
  private let node: String
  private let pool: NodePool
  private let events: ServerSessionLink
  private let state = Locked(State())

  init(_ session: NodeSession, on node: String, of pool: NodePool, events: ServerSessionLink) {
    self.session = session
    self.node = node
    self.pool = pool
    self.events = events
  }

  /// The owner has what is written for the session.
  var heldByteCount: Int { 0 }

  var isForwarded: Bool { true }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    let (client, number) = state.withLock { ($0.client, $0.number) }
    if let client { return await client.perform(request, of: number) }
    guard case .bind(var bind) = request else { return .refused(NodeClient.broken) }
    // The edge has checked it.
    bind.token = ""
    // A connection may be closed while it is handed out, as it was not used for long.
    for _ in 0..<2 {
      guard let client = await pool.client(for: node) else { break }
      guard let number = client.begin(session, events: events) else { continue }
      let isEnded = state.withLock { state in
        (state.client, state.number) = (client, number)
        return state.isEnded
      }
      if isEnded { client.end(number) }
      return await client.perform(.bind(bind), of: number)
    }
    return .refused(Self.unreachable)
  }

  func end() {
    let (client, number) = state.withLock { state in
      state.isEnded = true
      return (state.client, state.number)
    }
    client?.end(number)
  }

  func close() {
    let (client, number) = state.withLock { ($0.client, $0.number) }
    client?.close(number)
  }
}
#endif
