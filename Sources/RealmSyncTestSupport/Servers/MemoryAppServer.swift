// SPDX-License-Identifier: Apache-2.0

// An app server without sockets: whole clients talk to it in one process.

import RealmFormats
package import RealmServerEngine
package import RealmStorage
import RealmSync
package import RealmSyncProtocol
import RealmText

/// An app server in memory: sockets for a client, and answers to logins of anonymous users.
package final class MemoryAppServer: Sendable {
  private struct State {
    var userCount = 0
    var isOnline = true
    var sockets: [MemorySocket] = []
    var host: ServerHost
    /// Counts the folders, of which each has the files of one life of the server.
    var folder = 0
    /// The number of the access tokens that are valid.
    var tokenNumber = 0
    /// The messages that clients get by one token; nil for any number.
    var tokenLife: Int?
  }

  package let id: String
  private let mode: SyncMode
  private let directory: String
  private let system: any FileSystem
  private let access: (any SessionAccess)?
  private let state: Locked<State>

  /// - Parameters:
  ///   - id: The app's id.
  ///   - directory: Where the server's files are.
  ///   - system: What opens them.
  ///   - access: Decides on the rights of users; nil in development mode.
  package init(
    app id: String, mode: SyncMode, directory: String, system: any FileSystem = SystemFiles(),
    access: (any SessionAccess)? = nil
  ) {
    self.access = access
    self.system = system
    self.id = id
    self.mode = mode
    self.directory = directory
    state = Locked(State(host: Self.host(id, mode, directory, system, access)))
  }

  /// The rights by roles: the text of the member "roles" of an app's file.
  package static func access(ofRoles roles: String) throws -> any SessionAccess {
    let json = try JSONParser.parse(Array(roles.utf8))
    return RoleAccess(try RoleReader(rules: RuleReader()).roles(json, at: [])) {
      (id) throws(SessionRefusal) in RuleUser(id: id)
    }
  }

  private static func host(
    _ id: String, _ mode: SyncMode, _ directory: String, _ system: any FileSystem,
    _ access: (any SessionAccess)?
  ) -> ServerHost {
    let store = EmbeddedStore(DirectoryFiles(directory: directory, system: system))
    let clock = ServerClock { OriginTimestamp.now() }
    let realms = RealmDirectory(
      store, settings: ServerRealm.Settings(recordsTouches: mode == .flexible), clock: clock)
    let app = ServerApp(
      named: id, realms: realms, authenticator: SessionAuthenticator { _ in "" })
    app.access = access
    return ServerHost(app, store: store, served: mode)
  }

  /// Whether clients reach the server. Open sockets are cut when they do not any more.
  package func setOnline(_ isOnline: Bool) {
    let sockets = state.withLock { state in
      state.isOnline = isOnline
      defer { state.sockets = [] }
      return isOnline ? [] : state.sockets
    }
    for socket in sockets { socket.end(CloseCode.readFailed, "the network is gone") }
  }

  /// The access tokens that have expired.
  package var expiredTokens: Int { state.withLock { $0.tokenNumber } }

  /// Lets access tokens expire, the next one with a number of messages that a client gets, each
  /// later one a message later. Nil for tokens that do not.
  package func expireTokens(after messages: Int?) { state.withLock { $0.tokenLife = messages } }

  private func expireToken() {
    let sockets = state.withLock { state in
      state.tokenNumber += 1
      state.tokenLife = state.tokenLife.map { $0 + 1 }
      defer { state.sockets = [] }
      return state.sockets
    }
    for socket in sockets { socket.end(.unauthorized, "the token has expired") }
  }

  /// Starts again without any files, and cuts the connections.
  package func forgetFiles() throws {
    let folder = state.withLock { state in
      state.folder += 1
      return "\(directory)-\(state.folder)"
    }
    restart(in: folder)
  }

  /// Starts again with the files of a folder, and cuts the connections. The server stays offline if
  /// it is.
  package func restart(in folder: String) {
    let wasOnline = state.withLock { $0.isOnline }
    setOnline(false)
    state.withLock { state in
      state.host = Self.host(id, mode, folder, system, access)
      state.isOnline = wasOnline
    }
  }
}

extension MemoryAppServer: SyncSocketProvider {
  package func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
    guard state.withLock({ $0.isOnline }) else { throw SocketClosed(.connectFailed, "offline") }
    let offer = endpoint.protocolNames.joined(separator: ", ")
    guard let version = ProtocolVersion.chosen(from: offer) else {
      throw SocketClosed(.fatal, "no common protocol")
    }
    let (number, life) = state.withLock { ($0.tokenNumber, $0.tokenLife) }
    guard let token = endpoint.url.split(separator: "=").last, let user = Self.user(of: token),
      token.hasSuffix(Self.signature(number))
    else { throw SocketClosed(.unauthorized, "bad token") }
    let (socket, peer) = MemorySocket.pair("\(version)")
    state.withLock { $0.sockets.append(socket) }
    let connection = await state.withLock { $0.host }.accept(peer, version: version, user: user)
    Task { await connection.serve(peer) }
    guard let life else { return socket }
    return ExpiringSocket(socket, messages: life) { [weak self] in self?.expireToken() }
  }

  /// The user of a token of this server.
  private static func user(of token: some StringProtocol) -> String? {
    AppToken(String(token)).flatMap { $0.userData?["user"] }.flatMap {
      if case .string(let user) = $0 { user } else { nil }
    }
  }
}

extension MemoryAppServer: HTTPTransport {
  package func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    guard state.withLock({ $0.isOnline }) else { throw .transport("The network is gone.") }
    let token = request.headers.first { $0.name == "Authorization" }?.value.dropFirst(7)
    let user = token.flatMap { Self.user(of: $0) }
    if request.url.hasSuffix("/location") {
      return .document(
        #"{"deployment_model":"LOCAL","location":"here","hostname":"http://memory","#
          + #""ws_hostname":"ws://memory"}"#)
    } else if request.url.hasSuffix("/providers/anon-user/login") {
      let number = state.withLock { state in
        state.userCount += 1
        return state.userCount
      }
      let digits = String(number, radix: 16)
      let user = String(repeating: "0", count: 24 - digits.count) + digits
      let token = accessToken(of: user)
      return .document(
        #"{"access_token":"\#(token)","refresh_token":"\#(token)","#
          + #""user_id":"\#(user)","device_id":"000000000000000000000000"}"#)
    } else if request.url.hasSuffix("/auth/profile"), let user {
      return .document(
        #"{"user_id":"\#(user)","domain_id":"\#(id)","type":"normal","identities":"#
          + #"[{"id":"\#(user)","provider_type":"anon-user"}],"data":{}}"#)
    } else if request.url.hasSuffix("/auth/session"), let user {
      return request.method == .delete
        ? HTTPResponse(status: 204)
        : .document(#"{"access_token":"\#(accessToken(of: user))"}"#)
    } else if request.url.hasSuffix("/functions/call") {
      return .document(
        #"{"error":"service not found: 'mongodb-atlas'","error_code":"ServiceNotFound"}"#,
        status: 404)
    }
    return HTTPResponse(status: 404)
  }

  /// A token of a user that is valid now. Its number is where others have a signature.
  private func accessToken(of user: String) -> String {
    let payload = #"{"exp":4102444800,"iat":1,"user_data":{"user":"\#(user)"}}"#
    let number = state.withLock { $0.tokenNumber }
    return "e30." + Base64.encode(Array(payload.utf8)).filter { $0 != "=" }
      + Self.signature(number)
  }

  private static func signature(_ number: Int) -> String { ".c2ln\(number)" }
}

/// A socket whose token expires.
private final class ExpiringSocket: MessageSocket {
  private let base: MemorySocket
  private let left: Locked<Int>
  private let onExpiry: @Sendable () -> Void

  init(_ base: MemorySocket, messages: Int, onExpiry: @escaping @Sendable () -> Void) {
    self.base = base
    left = Locked(messages)
    self.onExpiry = onExpiry
  }

  var protocolName: String { base.protocolName }

  func receive() async throws(SocketClosed) -> [UInt8] {
    let message = try await base.receive()
    let isOver = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isOver { onExpiry() }
    return message
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    try await base.send(message)
  }

  func close(_ code: CloseCode, reason: String) async { await base.close(code, reason: reason) }
}

extension HTTPResponse {
  fileprivate static func document(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPHeader("Content-Type", "application/json")],
      body: Array(text.utf8))
  }
}
