// SPDX-License-Identifier: Apache-2.0

// The sockets of the server: from the handshake to the end.
//
// Invariants:
// 1. After the shutdown has begun, and the time for draining is over, no connection is served.
// 2. A user without access has no connection: each is registered before its user is looked up, so
//    an end between the two finds it.
// 3. No user and no address has more connections than the limit.
// 4. No connection is of an app that is not served: its end and the admission of a connection
//    exclude each other.
// 5. What another server has ended is ended here, too, once the database says so.
// 6. The service ends a short time after the shutdown began, whatever clients do.

#if Server
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import ServiceLifecycle

/// Serves the sockets of all apps.
final class SocketService: Service {
  /// The reason for a user without access, whether a socket is open or comes.
  private static let endedAccess = "The user is disabled or deleted"
  /// The time between two attempts to read users.
  private static let retryInterval = Duration.seconds(1)

  /// A user of an app.
  private struct User: Hashable {
    let app: String
    let account: String
  }

  private struct Member {
    let connection: ServerDriver
    let socket: WebSocket
    let user: User
    let address: String
    /// The session of the token in the handshake.
    let session: String

    var holder: AccessEnds.Holder {
      AccessEnds.Holder(account: user.account, session: session)
    }
  }

  /// The answer to a new connection.
  private enum Admission {
    case number(UInt64)
    case shuttingDown
    case unknownApp
    case tooMany(String)
  }

  private struct State {
    var apps: [String: ServedApp] = [:]
    /// The tasks that wait for changes of other servers, by apps.
    var followers: [String: Task<Void, Never>] = [:]
    var members: [UInt64: Member] = [:]
    var counts: [User: Int] = [:]
    var addressCounts: [String: Int] = [:]
    var last: UInt64 = 0
    /// Whether the server is about to shut down, and says so to load balancers.
    var isDraining = false
    var isShuttingDown = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let limits: ServerLimits
  private let times: ConnectionTimes
  private let surroundings: ServerSurroundings
  /// The connections between servers; nil where there are none.
  let nodes: NodeService?
  private let state = NIOLockedValueBox(State())

  init(
    _ apps: [ServedApp], limits: ServerLimits, times: ConnectionTimes,
    _ surroundings: ServerSurroundings, nodes: NodeService? = nil
  ) {
    self.surroundings = surroundings
    self.nodes = nodes
    self.limits = limits
    self.times = times
    for app in apps { begin(app) }
  }

  private var timer: SyncClock { surroundings.timer }
  private var metrics: ServerMetrics { surroundings.metrics }
  private var notices: NoticeLog { surroundings.notices }
  private var logger: Logger { surroundings.logger }

  // MARK: Apps

  /// Serves sockets of an app from now on.
  func begin(_ app: ServedApp) {
    let id = app.file.id
    app.api.accounts.ends.observe { [weak self] in self?.end($0, of: id) }
    state.withLockedValue { $0.apps[id] = app }
    nodes?.begin(app)
    let news = app.api.accounts.newsOfOtherServers()
    let follower = Task { [weak self] in
      for await _ in news { await self?.takeChanges(of: app) }
    }
    state.withLockedValue { $0.followers[id] = follower }
  }

  /// Ends the connections that have no access any more by what other servers have changed, and the
  /// sessions of users with other rights.
  private func takeChanges(of app: ServedApp) async {
    do throws(AccountError) {
      let (_, changed) = try await app.api.accounts.takeChangesOfOtherServers {
        self.holders(of: app)
      }
      if changed?.isEmpty != true { _ = await app.rules.recheck(users: changed) }
    } catch {
      notices.add("The users of \(app.file.id) cannot be read: \(error)", as: .warning)
      await takeAllChanges(of: app)
    }
  }

  /// Looks all users up, as something of them may have been missed, until that goes well.
  private func takeAllChanges(of app: ServedApp) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.retryInterval)
      do throws(AccountError) {
        _ = try await endLostAccess(of: app)
        _ = await app.rules.recheck()
        return
      } catch {
        logger.debug("The users of \(app.file.id) cannot be read: \(error)")
      }
    }
  }

  /// The users with connections and streams.
  private func holders(of app: ServedApp) -> Set<AccessEnds.Holder> {
    let holders = state.withLockedValue { state in
      state.members.values.filter { $0.user.app == app.file.id }.map(\.holder)
    }
    return Set(holders).union(app.api.documents?.watchHolders ?? [])
  }

  /// Ends the connections of an app, which is not served any more. Its clients come back later.
  ///
  /// - Returns: The number of these connections, once they are gone.
  func end(_ app: ServedApp) async -> Int {
    let id = app.file.id
    nodes?.end(app)
    let members = state.withLockedValue { state in
      state.apps[id] = nil
      state.followers.removeValue(forKey: id)?.cancel()
      return state.members.filter { $0.value.user.app == id }
    }
    for member in members.values {
      await member.connection.shutDown("The app \(id) is not served any more")
    }
    // Clients that take nothing are cut off.
    var isCut = false
    let start = ContinuousClock.now
    while state.withLockedValue({ state in members.keys.contains { state.members[$0] != nil } }) {
      if !isCut, ContinuousClock.now - start > times.farewell {
        isCut = true
        for member in members.values { member.socket.channel.close(promise: nil) }
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return members.count
  }

  /// Closes the connections of users who are disabled and of sessions that are over, as another
  /// process has decided, and ends their streams.
  ///
  /// - Returns: The number of these connections.
  func endLostAccess(of app: ServedApp) async throws(AccountError) -> Int {
    let holders = state.withLockedValue { state in
      state.members.values.filter { $0.user.app == app.file.id }.map(\.holder)
    }
    let ends = try await app.api.accounts.endAccess(
      among: Set(holders).union(app.api.documents?.watchHolders ?? []))
    return holders.count { holder in ends.contains { $0.concerns(holder) } }
  }

  /// Closes the connections of all users of an app, whose logins are over.
  ///
  /// - Returns: The number of these connections.
  func endLogins(of app: ServedApp) async -> Int {
    let connections = state.withLockedValue { state in
      state.members.values.filter { $0.user.app == app.file.id }.map(\.connection)
    }
    for connection in connections {
      await connection.close(.unauthorized, reason: "All logins were ended")
    }
    return connections.count
  }

  /// Whether pages of an origin may have sockets of an app, or it is not served.
  func allows(_ origin: String, _ app: String) -> Bool {
    state.withLockedValue { $0.apps[app] }?.api.origins.allow(origin) ?? true
  }

  /// Whether connections are still accepted.
  var isReady: Bool { state.withLockedValue { !$0.isDraining } }

  /// The number of open connections of an app.
  func connectionCount(ofApp app: String) -> Int {
    state.withLockedValue { state in state.members.values.count { $0.user.app == app } }
  }

  // MARK: One socket

  /// Serves a socket until it is closed.
  func serve(_ socket: WebSocket, _ request: SocketRequest, _ memory: MemoryBudget.Share) async {
    // A task keeps the memory of the deepest calls that it has made, here 8 KB, until it ends: the
    // admission has one of its own.
    let client = ClientSocket(socket: socket, metrics: metrics)
    guard
      let (number, connection) = await Task(operation: { await admit(client, request, memory) })
        .value
    else { return }
    defer { remove(number) }
    metrics.didOpen()
    let end = await connection.serve(client)
    metrics.didClose()
    logger.debug("A socket closed: \(end.code.rawValue) \(end.message)")
  }

  /// Makes the connection of a socket whose user has access, or closes the socket.
  ///
  /// - Returns: The connection and its number, which is to be removed.
  private func admit(
    _ client: ClientSocket, _ request: SocketRequest, _ memory: MemoryBudget.Share
  ) async -> (number: UInt64, connection: ServerDriver)? {
    let socket = client.socket
    // Clients try again later, as the app may come back.
    let unknown = (code: CloseCode.internalError, reason: "There is no app \(request.app)")
    guard let app = state.withLockedValue({ $0.apps[request.app] }) else {
      await refuse(socket, unknown.code, unknown.reason)
      return nil
    }
    let accounts = app.api.accounts
    do throws(AccountError) {
      let claims = try accounts.claims(accessToken: request.token)
      memory.setUser("\(app.file.id) \(claims.account)")
      let connection = await app.host.accept(
        client, version: request.version, user: claims.account, memory: memory)
      switch add(connection, socket, app, claims, request.address) {
      case .unknownApp: await refuse(socket, unknown.code, unknown.reason)
      case .shuttingDown: await refuse(socket, .goingAway, "The server shuts down")
      case .tooMany(let name):
        await refuse(socket, .policyViolation, "The \(name) has too many connections")
      case .number(let number):
        do throws(AccountError) {
          _ = try await accounts.access(claims)
          return (number, connection)
        } catch {
          await connection.socketDidClose()
          remove(number)
          throw error
        }
      }
      await connection.socketDidClose()
    } catch {
      // Clients of all systems see close codes, and only some an HTTP status (P1 B.1).
      switch error {
      case .userDisabled: await refuse(socket, .forbidden, Self.endedAccess)
      case .store: await refuse(socket, .internalError, "The server failed")
      default:
        await refuse(
          socket, .unauthorized,
          "The token is not valid: it is too old, of another server, or this one began with an "
            + "empty folder"
        )
      }
    }
    return nil
  }

  private func refuse(_ socket: WebSocket, _ code: CloseCode, _ reason: String) async {
    metrics.didRefuse()
    notices.add("A socket was refused: \(reason)")
    await socket.close(code, reason: reason)
  }

  // MARK: All sockets

  private func add(
    _ connection: ServerDriver, _ socket: WebSocket, _ app: ServedApp, _ claims: TokenClaims,
    _ address: String
  ) -> Admission {
    let user = User(app: app.file.id, account: claims.account)
    return state.withLockedValue { state in
      guard state.apps[app.file.id]?.host === app.host else { return .unknownApp }
      guard !state.isShuttingDown else { return .shuttingDown }
      let count = state.counts[user, default: 0]
      guard count < limits.socketsPerUser else { return .tooMany("user") }
      let addressCount = state.addressCounts[address, default: 0]
      guard addressCount < limits.socketsPerAddress else { return .tooMany("address") }
      state.counts[user] = count + 1
      state.addressCounts[address] = addressCount + 1
      state.last += 1
      state.members[state.last] = Member(
        connection: connection, socket: socket, user: user, address: address,
        session: claims.session)
      return .number(state.last)
    }
  }

  private func remove(_ number: UInt64) {
    let waiter = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
      if let member = state.members.removeValue(forKey: number) {
        let count = state.counts[member.user, default: 1] - 1
        state.counts[member.user] = count > 0 ? count : nil
        let addressCount = state.addressCounts[member.address, default: 1] - 1
        state.addressCounts[member.address] = addressCount > 0 ? addressCount : nil
      }
      guard state.members.isEmpty else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Closes the connections of a session or of a user.
  private func end(_ end: AccessEnds.End, of app: String) {
    let connections = state.withLockedValue { state in
      state.members.values.filter { $0.user.app == app && end.concerns($0.holder) }
        .map(\.connection)
    }
    // A user who has logged out may log in again, and its client refreshes the token; one who is
    // disabled or deleted may not.
    let code: CloseCode
    let reason: String
    switch end {
    case .session: (code, reason) = (.unauthorized, "The login is over")
    case .sessions: (code, reason) = (.unauthorized, "The user has a new password")
    case .account: (code, reason) = (.forbidden, Self.endedAccess)
    }
    for connection in connections { Task { await connection.close(code, reason: reason) } }
  }

  /// Tells load balancers from now on that the server is about to end.
  func beginDraining() { state.withLockedValue { $0.isDraining = true } }

  /// Ends the connections one after the other, while others may come still.
  private func drain() async {
    let connections = state.withLockedValue { state in
      state.isDraining = true
      return state.members.values.map(\.connection)
    }
    guard times.drain > .zero else { return }
    logger.info("Ending \(connections.count) connections in \(times.drain)")
    // Also without connections: load balancers have to notice.
    let (start, time) = (timer.now(), times.drain.components.seconds * 1_000)
    let count = Milliseconds(connections.count + 1)
    for number in 1...count {
      try? await timer.sleep(start + Milliseconds(time) * number / count)
      if number < count { await connections[Int(number) - 1].shutDown() }
    }
  }

  /// Runs until the server shuts down; then ends all sessions and waits for their sockets.
  func run() async throws {
    try? await gracefulShutdown()
    await drain()
    let connections = state.withLockedValue { state in
      state.isShuttingDown = true
      for follower in state.followers.values { follower.cancel() }
      state.followers = [:]
      return state.members.values.map(\.connection)
    }
    logger.info("Ending \(connections.count) connections")
    for connection in connections { await connection.shutDown() }
    let cutting = Task { [state, times] in
      try await Task.sleep(for: times.farewell)
      for member in state.withLockedValue({ Array($0.members.values) }) {
        member.socket.channel.close(promise: nil)
      }
    }
    defer { cutting.cancel() }
    await withCheckedContinuation { continuation in
      let isDone = state.withLockedValue { state in
        if !state.members.isEmpty { state.waiter = continuation }
        return state.members.isEmpty
      }
      if isDone { continuation.resume() }
    }
  }
}

/// The WebSocket of a client, whose messages are counted.
struct ClientSocket: MessageSocket {
  let socket: WebSocket
  let metrics: ServerMetrics

  var protocolName: String { socket.protocolName }

  func receive() async throws(SocketClosed) -> [UInt8] {
    let message = try await socket.receive()
    metrics.didReceive(message)
    return message
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    let sent = ServerMetrics.Sent(message)
    let buffer = ByteBuffer(bytes: message)
    try await socket.send(buffer)
    metrics.didSend(sent)
  }

  func close(_ code: CloseCode, reason: String) async { await socket.close(code, reason: reason) }
}
#endif
