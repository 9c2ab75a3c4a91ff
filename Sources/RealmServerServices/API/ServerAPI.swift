// SPDX-License-Identifier: Apache-2.0

// The server's HTTP requests, apart from WebSockets.

#if Server
import RealmFormats

/// The API of a server: a function from requests to answers.
package struct ServerAPI: Sendable {
  /// The app of an id; nil if it is not served.
  let app: @Sendable (_ id: String) -> APIApp?
  /// All apps that are served.
  let apps: @Sendable () -> [APIApp]
  /// The server's address for clients; nil if requests show it.
  package let publicURL: String?
  /// Takes what was refused for a reason that the operator should know: an app or a session that is
  /// not there, or a failure of the server.
  private let refused: @Sendable (String) -> Void

  /// - Parameters:
  ///   - app: Returns the app of an id. Apps may come and go while requests are answered.
  ///   - apps: Returns all of them.
  package init(
    app: @escaping @Sendable (_ id: String) -> APIApp?, apps: @escaping @Sendable () -> [APIApp],
    publicURL: String? = nil, refused: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.refused = refused
    self.app = app
    self.apps = apps
    self.publicURL = publicURL
  }

  package init(
    apps: [APIApp], publicURL: String? = nil,
    refused: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let apps = Dictionary(apps.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    self.init(
      app: { apps[$0] }, apps: { Array(apps.values) }, publicURL: publicURL, refused: refused)
  }

  /// The bytes that the body of a request may have, whose head is known: only users may send much.
  package func bodyByteCountMax(_ head: APIRequest) -> Int {
    let small = 64 << 10
    let parts = head.path.split(separator: "/").map(String.init)
    guard parts.count == 7, parts.starts(with: ["api", "client", "v2.0", "app"]),
      parts[5...].elementsEqual(["functions", "call"]), let app = app(parts[4]),
      let token = head.bearerToken, (try? app.accounts.claims(accessToken: token)) != nil
    else { return small }
    return 4 << 20
  }

  /// The user of a request whose head is known, with its app; nil for one without a valid token.
  package func user(of head: APIRequest) -> String? {
    guard let token = head.bearerToken, let id = TokenIssuer.app(of: token),
      let accounts = app(id)?.accounts, let claims = try? accounts.claims(accessToken: token)
    else { return nil }
    return "\(id) \(claims.account)"
  }

  /// Answers a request.
  package func respond(to request: APIRequest) async -> APIResponse {
    guard let depth = depth(of: request) else { return await answer(request) }
    return await CallChain.$depth.withValue(depth) { await answer(request) }
  }

  /// The triggers on the way to the request of a webhook; nil if there are none.
  private func depth(of request: APIRequest) -> Int? {
    guard let text = request[header: CallChain.header] else { return nil }
    let parts = request.path.split(separator: "/", maxSplits: 5).map(String.init)
    guard parts.count > 4 else { return nil }
    // Requests of a user about itself name the app in their token alone.
    let id = parts[3] == "app" ? parts[4] : request.bearerToken.flatMap { TokenIssuer.app(of: $0) }
    guard let accounts = id.flatMap({ app($0) })?.accounts else { return nil }
    return accounts.services.chain.depth(of: text, now: accounts.unixSeconds)
  }

  private func answer(_ request: APIRequest) async -> APIResponse {
    if let answer = preflight(request) { return answer }
    do throws(APIError) {
      return try await route(request)
    } catch {
      if let notice = Self.notice(request, error) { refused(notice) }
      return error.response(link: logLink(request))
    }
  }

  /// Opens the stream that a request asks for: the answer if there is none, and nil for other
  /// requests.
  package func stream(for request: APIRequest) async -> Result<EventStream, APIAnswer>? {
    let parts = request.path.split(separator: "/").map(String.init)
    guard request.method == "GET", parts.count == 7,
      parts.starts(with: ["api", "client", "v2.0", "app"]),
      parts[5...].elementsEqual(["functions", "call"]), let app = app(parts[4])
    else { return nil }
    do throws(APIError) {
      return .success(try await DocumentRoutes(app: app).watch(request))
    } catch {
      if let notice = Self.notice(request, error) { refused(notice) }
      return .failure(APIAnswer(response: error.response(link: logLink(request))))
    }
  }

  private static func notice(_ request: APIRequest, _ error: APIError) -> String? {
    switch error.status {
    case 404 where error.message.hasPrefix(APIError.unknownAppText):
      "A client asked for an app that is not here: \(error.message)"
    case 401 where error == .unauthorized:
      "A client has a session that is not known here: the session was ended, or this server began "
        + "with an empty folder"
    case _ where error.detail != nil, 500...:
      "A request failed: \(error.message)" + (error.detail.map { " (\($0))" } ?? "")
    default: nil
    }
  }

  private func route(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let parts = request.path.split(separator: "/").map(String.init)
    if request.method == "GET", parts.last == "logs", let answer = logAnswer(request) {
      return answer
    }
    guard parts.starts(with: ["api", "client", "v2.0"]) else { throw .notFound }
    switch parts.dropFirst(3).first {
    case "auth":
      let app = try app(of: request)
      guard parts.dropFirst(4).first == "api_keys" else {
        return try await UserRoutes(app: app).respond(request, parts.dropFirst(4))
      }
      return try await KeyRoutes(app: app).respond(request, parts.dropFirst(5))
    case "app":
      guard let id = parts.dropFirst(4).first else { throw .notFound }
      guard let app = app(id) else { throw .unknownApp(id) }
      return try await respond(request, parts.dropFirst(5), app)
    default: throw .notFound
    }
  }

  /// The app in the token of a request, for the paths that name none. The routes check its
  /// signature.
  ///
  /// An app that is not served is not a token that is not valid: clients would log their users out,
  /// and an operator may put the app's folder back.
  private func app(of request: APIRequest) throws(APIError) -> APIApp {
    guard let token = request.bearerToken else { throw .noToken }
    guard let id = TokenIssuer.app(of: token) else { throw .unauthorized }
    guard let app = app(id) else { throw .unknownApp(id) }
    return app
  }

  private func respond(
    _ request: APIRequest, _ path: ArraySlice<String>, _ app: APIApp
  ) async throws(APIError) -> APIResponse {
    switch (request.method, Array(path)) {
    case ("GET", ["location"]):
      return location(request)
    case ("GET", ["realm-sync"]):
      // A request that the listener could have made a WebSocket of does not come here.
      throw APIError(400, "BadRequest", "the offer has no protocol version that the server speaks")
    case ("POST", ["functions", "call"]):
      return try await FunctionRoutes(app: app).call(request)
    case (_, let path) where path.starts(with: ["push", "providers"]):
      return try await PushRoutes(app: app).respond(request, path.dropFirst(2))
    case (_, let path) where path.starts(with: ["auth", "api_keys"]):
      return try await KeyRoutes(app: app).respond(request, path.dropFirst(2))
    default:
      guard path.starts(with: ["auth", "providers"]), request.method == "POST",
        let provider = path.dropFirst(2).first
      else { throw .notFound }
      return try await UserRoutes(app: app).respond(request, of: provider, path.dropFirst(3))
    }
  }

  // MARK: Location

  /// Where the server is (P1 A.1).
  private func location(_ request: APIRequest) -> APIResponse {
    let address = publicURL ?? Self.address(of: request)
    let socketAddress = address.hasPrefix("http") ? "ws" + address.dropFirst(4) : address
    return APIResponse(
      [
        "deployment_model": .string("GLOBAL"), "location": .string("US-VA"),
        "hostname": .string(address), "ws_hostname": .string(socketAddress),
      ])
  }

  /// The address in the client's request, as far as a trusted proxy before the server reports it.
  static func address(of request: APIRequest) -> String {
    let host = request[header: "Host"] ?? "localhost"
    return (request.origin.isSecure ? "https" : "http") + "://" + host
  }
}

/// The answer in place of a stream.
package struct APIAnswer: Error {
  package let response: APIResponse
}
#endif
