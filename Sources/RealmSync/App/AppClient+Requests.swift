// SPDX-License-Identifier: Apache-2.0

// Requests and their answers: addresses, tokens, errors.

import RealmFormats
import RealmStorage
package import RealmSyncProtocol

extension AppClient {
  /// The beginning of a request's path.
  enum Root {
    case base, app

    func path(_ id: String) -> String {
      switch self {
      case .base: "/api/client/v2.0/"
      case .app: "/api/client/v2.0/app/\(id)/"
      }
    }
  }

  // MARK: Location

  /// Where the server is, as far as it is known.
  package var location: AppLocation {
    state.withLock { $0.location } ?? AppLocation(guessedFrom: settings.baseURL)
  }

  /// Asks for the location again.
  package func refreshLocation() async throws(AppFailure) {
    let settings = settings
    let location = try await requestLocation(settings)
    state.withLock { state in
      // The app may have moved meanwhile.
      if state.settings == settings { state.location = location }
    }
  }

  /// Lets the app use the server at another address, once that has answered.
  ///
  /// - Throws: The failure of the request for the location; the app stays where it is.
  package func move(to baseURL: String) async throws(AppFailure) {
    let settings = settings.moved(to: baseURL)
    let location = try await requestLocation(settings)
    state.withLock { ($0.settings, $0.location) = (settings, location) }
  }

  private func requestLocation(_ settings: AppSettings) async throws(AppFailure) -> AppLocation {
    let url = settings.baseURL + Root.app.path(settings.id) + "location"
    try checkAddress(settings.baseURL)
    let answer: JSONValue
    do throws(AppFailure) {
      answer = try json(
        await exchange(HTTPRequest(.get, url: url, timeout: settings.requestTimeout)))
    } catch {
      throw explained(error, settings)
    }
    let route = answer["sync_route"]?.string
    guard let host = answer["hostname"]?.string, let socketHost = answer["ws_hostname"]?.string,
      route.map({ Self.isPlainSocketURL($0) }) != false
    else { throw .badAnswer("The server's answer lacks the location of the app.") }
    let isSecure =
      host.lowercased().hasPrefix("https://")
      && [socketHost, route ?? socketHost].allSatisfy { $0.lowercased().hasPrefix("wss://") }
    guard !settings.isSecure || isSecure else {
      throw .badAnswer(
        "The server names an address without encryption for an app that uses https. Give the "
          + "server its address with --public-url, or let its proxy send X-Forwarded-Proto.")
    }
    return AppLocation(host: host, socketHost: socketHost, syncRoute: route)
  }

  /// Whether an address has neither user, query nor fragment.
  private static func isPlainSocketURL(_ text: String) -> Bool {
    guard text.hasPrefix("ws://") || text.hasPrefix("wss://") else { return false }
    return !text.contains { "@?#".contains($0) }
  }

  /// Checks an address before anything is sent to it.
  ///
  /// - Throws: `AppFailure.invalidCall` for an address without `http://` or `https://`.
  private func checkAddress(_ address: String) throws(AppFailure) {
    let schemes = ["http://", "https://"]
    if schemes.contains(where: { address.hasPrefix($0) && address != $0 }) { return }
    let place = address.firstRange(of: "://").map { String(address[$0.upperBound...]) } ?? address
    throw .invalidCall(
      "'\(address)' is no address of a server: it has to begin with http:// or https://, as "
        + "'http://\(place.isEmpty ? "127.0.0.1:9090" : place)' does.")
  }

  /// The failure of a request for the location, the first request to a server.
  private func explained(_ failure: AppFailure, _ settings: AppSettings) -> AppFailure {
    switch failure {
    case .service(let name, _, 404, let logURL):
      .service(
        name: name,
        message:
          "The server at \(settings.baseURL) has no app with the id '\(settings.id)'. Use an "
          + "id that the server names when it starts.",
        status: 404, logURL: logURL)
    default: failure
    }
  }

  // MARK: Requests

  /// Sends a request as a user. A refused token is refreshed, once.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, of root: Root,
    as user: AppUser
  ) async throws(AppFailure) -> JSONValue {
    try check(user)
    do throws(AppFailure) {
      return try await send(method, path, body, of: root, token: user.record.accessToken?.text)
    } catch  where error.isUnauthorized {
      let token = try await refreshToken(of: user)
      return try await send(method, path, body, of: root, token: token.text)
    }
  }

  /// Sends a request with a token, or without one.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, of root: Root,
    token: String? = nil
  ) async throws(AppFailure) -> JSONValue {
    if state.withLock({ $0.location == nil }) { try await refreshLocation() }
    var headers = [
      HTTPHeader("Content-Type", "application/json;charset=utf-8"),
      HTTPHeader("Accept", "application/json"),
    ]
    if let token { headers.append(HTTPHeader("Authorization", "Bearer " + token)) }
    let request = HTTPRequest(
      method, url: location.host + root.path(settings.id) + path, headers: headers,
      body: body.map { JSONWriter.bytes($0) } ?? [], timeout: settings.requestTimeout)
    return try json(await exchange(request))
  }

  /// Sends a request with the headers of the app.
  private func exchange(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    try await transport.send(withHeaders(request))
  }

  /// A request with the headers of the app.
  func withHeaders(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    let present = Set(request.headers.map { $0.name.lowercased() })
    request.headers += headers().filter { !present.contains($0.name.lowercased()) }
    return request
  }

  /// The document of an answer, `null` if it has none, unless it is an error (P1 A.4).
  func json(_ response: HTTPResponse) throws(AppFailure) -> JSONValue {
    let isSuccess = (200..<300).contains(response.status)
    let document = response.body.isEmpty ? JSONValue.null : try? JSONParser.parse(response.body)
    if let document {
      let (name, message) = (document["error_code"]?.string, document["error"]?.string)
      // With another content type a server says: this is no error of mine.
      if name != nil || message != nil, response[header: "Content-Type"] == "application/json" {
        throw .service(
          name: name, message: message ?? "", status: response.status,
          logURL: document["link"]?.string)
      }
    }
    guard isSuccess else { throw .status(response.status) }
    guard let document else { throw .badAnswer("The server's answer is not JSON.") }
    return document
  }
}
