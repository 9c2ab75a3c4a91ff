// SPDX-License-Identifier: Apache-2.0

// The requests of a deployed app, to the byte (P1 A and P1 B.1).

#if Server
import TestExtensions
import Testing

/// Sends what apps with realm-core 14.14.0 send.
final class DeployedClient {
  /// An answer of HTTP with its lines as they came.
  struct Answer {
    let status: String
    let headers: [String]
    let body: String

    /// The values of a header.
    func values(_ name: String) -> [String] {
      headers.filter { $0.lowercased().hasPrefix(name + ": ") }.map {
        String($0.dropFirst(name.utf8.count + 2))
      }
    }
  }

  /// What a login gives.
  struct Login {
    let accessToken: String
    let refreshToken: String
    let user: String
    let device: String
  }

  /// Host and port.
  let address: String
  let app: String
  private let connection: RawConnection
  /// The connections of sockets.
  private var sockets: [RawConnection] = []

  init(_ server: RunningServer) async throws {
    address = String(try #require(server.address.split(separator: "/").last))
    app = server.app
    connection = try await RawConnection(address)
  }

  /// Closes all connections, as a process does that ends.
  func leave() async {
    for socket in sockets { await socket.close() }
    await connection.close()
  }

  // MARK: HTTP

  /// Sends a request on the client's one connection, which the server has to keep open.
  func request(
    _ method: String, _ path: String, token: String? = nil, body: String = "",
    headers: [String] = []
  ) async throws -> Answer {
    var lines = [
      "\(method) /api/client/v2.0\(path) HTTP/1.1", "Host: \(address)",
      "Accept: application/json", "Content-Type: application/json;charset=utf-8",
    ]
    if let token { lines.append("Authorization: Bearer \(token)") }
    lines += headers
    if method != "GET" { lines.append("Content-Length: \(body.utf8.count)") }
    let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    try await connection.send(Array(text.utf8))
    return try await Self.answer(connection)
  }

  /// Reads an answer, the size of whose body its header tells.
  static func answer(_ connection: RawConnection) async throws -> Answer {
    let status = try await connection.line()
    var headers: [String] = []
    while let line = Optional(try await connection.line()), !line.isEmpty { headers.append(line) }
    let head = Answer(status: status, headers: headers, body: "")
    let count = head.values("content-length").first.flatMap { Int($0) } ?? 0
    let body = String(decoding: try await connection.bytes(count), as: UTF8.self)
    return Answer(status: status, headers: headers, body: body)
  }

  /// The body of a login, with the device of an earlier one.
  ///
  /// - Parameter fields: The members of the provider, with a comma after each.
  func loginBody(
    _ provider: String = "anon-user", _ fields: String = "", device: String? = nil
  ) -> String {
    let known = device.map { #","deviceId":"\#($0)""# } ?? ""
    return
      #"{"provider":"\#(provider)",\#(fields)"options":{"device":{"#
      + #""appId":"\#(app)","platform":"Linux","platformVersion":"1","sdk":"Swift","#
      + #""sdkVersion":"10.54.0","cpuArch":"x86_64","#
      + #""deviceName":"","deviceVersion":"","frameworkName":"","frameworkVersion":"","#
      + #""coreVersion":"14.14.0","bundleId":""\#(known)}}}"#
  }

  /// Sends a login.
  ///
  /// - Parameters:
  ///   - fields: The members of the provider, with a comma after each.
  ///   - user: The access token of the user who gets the identity; nil for a login.
  func answer(
    of provider: String, _ fields: String = "", device: String? = nil, linkedTo user: String? = nil
  ) async throws -> Answer {
    try await request(
      "POST", "/app/\(app)/auth/providers/\(provider)/login" + (user == nil ? "" : "?link=true"),
      token: user, body: loginBody(provider, fields, device: device))
  }

  /// Logs a user in; an anonymous one, unless another provider is named.
  func logIn(
    _ provider: String = "anon-user", _ fields: String = "", device: String? = nil
  ) async throws -> Login {
    let answer = try await answer(of: provider, fields, device: device)
    let parts = try #require(
      Pattern.parts(
        of: answer.body,
        #"{"access_token":"*","refresh_token":"*","user_id":"*","device_id":"*"}"#))
    return Login(
      accessToken: parts[0], refreshToken: parts[1], user: parts[2], device: parts[3])
  }

  // MARK: Sockets

  /// The protocols that a flexible realm's client offers.
  static let flexible = offer("com.mongodb.realm-query-sync#", 14)
  /// The protocols that a client of a partition offers.
  static let partition = offer("com.mongodb.realm-sync#", 14)

  /// All versions from the newest one to 2.
  static func offer(_ prefix: String, _ newest: Int) -> String {
    (2...newest).reversed().map { "\(prefix)\($0)" }.joined(separator: ", ")
  }

  /// Sends a handshake, and returns the answer and the connection.
  func handshake(
    _ offer: String, token: String, headers: [String] = []
  ) async throws -> (answer: Answer, connection: RawConnection) {
    let connection = try await RawConnection(address)
    sockets.append(connection)
    let lines =
      [
        "GET /api/client/v2.0/app/\(app)/realm-sync?baas_at=\(token) HTTP/1.1",
        "Host: \(address)", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: \(offer)",
        "User-Agent: RealmSync/14.14.0 (Linux) RealmSwift/10.54.0 Todos/1",
      ] + headers
    try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    return (try await Self.answer(connection), connection)
  }

  /// Opens a socket.
  func socket(_ offer: String, token: String) async throws -> DeployedSocket {
    let (answer, connection) = try await handshake(offer, token: token)
    expectEqual(answer.status, "HTTP/1.1 101 Switching Protocols")
    return DeployedSocket(connection)
  }
}
#endif
