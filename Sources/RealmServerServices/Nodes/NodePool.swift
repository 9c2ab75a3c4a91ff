// SPDX-License-Identifier: Apache-2.0

// The connections of a server to the owners of realms.
//
// Invariants:
// 1. There is one connection to a server at most. It is made when it is needed.
// 2. After a connection that could not be made none is tried for a while, which grows.

#if Server
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// Leads to other servers over connections of its own.
package final class NodePool: NodeLinks, NodeCalls {
  /// Opens a socket to the server of a name.
  package typealias Dialer =
    @Sendable (_ node: String) async throws(SocketClosed) -> any MessageSocket

  private struct Entry {
    var connecting: Task<NodeClient?, Never>?
    var client: NodeClient?
    var failureCount = 0
    /// The time of the next attempt.
    var next: Milliseconds = 0
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var isClosed = false
  }

  private let node: String
  private let limits: NodeLimits
  private let timer: SyncClock
  private let meter: NodeMeter
  private let dial: Dialer
  private let report: @Sendable (String) -> Void
  private let state = Locked(State())

  /// - Parameters:
  ///   - node: The name of this server.
  ///   - report: Takes what the operator should know, perhaps many times.
  package init(
    node: String, limits: NodeLimits = NodeLimits(), timer: SyncClock = .continuous,
    meter: NodeMeter = NodeMeter(), report: @escaping @Sendable (String) -> Void = { _ in },
    dial: @escaping Dialer
  ) {
    self.node = node
    self.limits = limits
    self.timer = timer
    self.meter = meter
    self.report = report
    self.dial = dial
  }

  package func session(
    _ session: NodeSession, on node: String, events: ServerSessionLink
  ) -> any ServerRequestHandler {
    ForwardedSession(session, on: node, of: self, events: events)
  }

  package func answer(
    to call: NodeCall, on node: String
  ) async -> Result<NodeAnswer, DocumentError> {
    for _ in 0..<2 {
      guard let client = await client(for: node) else { break }
      if let answer = await client.answer(to: call) { return answer }
    }
    return .failure(.store(.unavailable("the owner of the realm, \(node), is not reached")))
  }

  /// Ends all connections, and makes none any more.
  package func close() async {
    let entries = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [:] }
      return state.entries
    }
    for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let connected = await entry.connecting?.value
      await (entry.client ?? connected)?.close()
    }
  }

  // MARK: Connections

  /// The connection to a server, which is made if there is none; nil if it cannot be made.
  func client(for node: String) async -> NodeClient? {
    let now = timer.now()
    let (client, connecting) = state.withLock { state -> (NodeClient?, Task<NodeClient?, Never>?) in
      guard !state.isClosed else { return (nil, nil) }
      var entry = state.entries[node] ?? Entry()
      if let client = entry.client, !client.isClosed { return (client, nil) }
      if let connecting = entry.connecting { return (nil, connecting) }
      guard entry.next <= now else { return (nil, nil) }
      let connecting = Task { await self.connect(to: node) }
      (entry.client, entry.connecting) = (nil, connecting)
      state.entries[node] = entry
      return (nil, connecting)
    }
    if let client { return client }
    return await connecting?.value
  }

  private func connect(to node: String) async -> NodeClient? {
    do throws(SocketClosed) {
      let socket = NodeSocket(
        try await dial(node), limits: limits, timer: timer, meter: meter)
      let hello = try await socket.greet(as: NodeHello(node: self.node))
      guard hello.node == node else {
        await socket.close(.policyViolation, reason: "This is another server")
        throw SocketClosed(.policyViolation, "The server at its address is \(hello.node)")
      }
      let client = NodeClient(socket, timer: timer, meter: meter)
      guard didConnect(client, to: node) else {
        await client.close()
        return nil
      }
      Task { await self.run(client, to: node) }
      return client
    } catch {
      didFail(node)
      report("The server \(node) is not reached: \(error.code.rawValue) \(error.message)")
      return nil
    }
  }

  private func run(_ client: NodeClient, to node: String) async {
    let end = await client.run()
    if end.code != .normal {
      report("The connection to the server \(node) ended: \(end.code.rawValue) \(end.message)")
    }
    state.withLock { state in
      if state.entries[node]?.client === client { state.entries[node]?.client = nil }
    }
  }

  /// Notes a connection. Returns whether it is needed.
  private func didConnect(_ client: NodeClient, to node: String) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.entries[node] = Entry(client: client)
      return true
    }
  }

  private func didFail(_ node: String) {
    let now = timer.now()
    state.withLock { state in
      var entry = state.entries[node] ?? Entry()
      let pause = limits.retryMin << Milliseconds(min(entry.failureCount, 20))
      entry.connecting = nil
      entry.failureCount += 1
      entry.next = now + min(pause, limits.retryMax)
      if !state.isClosed { state.entries[node] = entry }
    }
  }
}
#endif
