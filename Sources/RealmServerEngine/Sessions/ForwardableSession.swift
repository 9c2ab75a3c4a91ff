// SPDX-License-Identifier: Apache-2.0

// A session whose realm may be another server's.
//
// Invariants:
// 1. A session has one server for its life: the one that took its BIND.
// 2. The end of a session reaches whoever carries its requests out, also if it comes while the BIND
//    is on its way there.

import RealmStorage
import RealmSyncProtocol

/// The requests of a session, which this server carries out, or the owner of the realm.
final class ForwardableSession: ServerRequestHandler {
  private struct State {
    var handler: any ServerRequestHandler
    var isEnded = false
  }

  private let session: NodeSession
  private let own: ServerSession
  private let links: any NodeLinks
  private let events: ServerSessionLink
  private let state: Locked<State>

  /// - Parameters:
  ///   - own: Carries the requests out if this server is the owner, or becomes it.
  ///   - events: The session at its connection.
  init(
    _ session: NodeSession, _ own: ServerSession, links: any NodeLinks,
    events: ServerSessionLink
  ) {
    self.session = session
    self.own = own
    self.links = links
    self.events = events
    state = Locked(State(handler: own))
  }

  private var handler: any ServerRequestHandler { state.withLock { $0.handler } }

  var heldByteCount: Int { handler.heldByteCount }

  var isForwarded: Bool { handler.isForwarded }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    let reply = await handler.perform(request)
    guard case .bind = request, let owner = await own.owner else { return reply }
    await own.close()
    let forwarded = links.session(session, on: owner, events: events)
    let isEnded = state.withLock { state in
      state.handler = forwarded
      return state.isEnded
    }
    // `ForwardableSession` 2
    if isEnded { forwarded.end() }
    return await forwarded.perform(request)
  }

  func end() {
    let handler = state.withLock { state in
      state.isEnded = true
      return state.handler
    }
    handler.end()
  }

  func close() async { await handler.close() }
}
