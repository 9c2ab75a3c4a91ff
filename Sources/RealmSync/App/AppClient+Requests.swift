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
  @discardableResult
  package func refreshLocation() async throws(AppFailure) -> AppLocation {
    let url = settings.baseURL + Root.app.path(settings.id) + "location"
    try checkAddress()
    let answer: JSONValue
    do throws(AppFailure) {
      answer = try json(
        await transport.send(HTTPRequest(.get, url: url, timeout: settings.requestTimeout)))
    } catch {
      throw explained(error)
    }
    guard let location = AppLocation(answer) else {
      throw .badAnswer("The server's answer lacks the location of the app.")
    }
    guard !settings.isSecure || location.isSecure else {
      throw .badAnswer(
        "The server names an address without encryption for an app that uses https. Give the "
          + "server its address with --public-url, or let its proxy send X-Forwarded-Proto.")
    }
    state.withLock { $0.location = location }
    return location
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
    return try json(await transport.send(request))
  }

  /// The document of an answer, `null` if it has none, unless it is an error (P1 A.4).
  private func json(_ response: HTTPResponse) throws(AppFailure) -> JSONValue {
    let isSuccess = (200..<300).contains(response.status)
    let document = response.body.isEmpty ? JSONValue.null : try? JSONParser.parse(response.body)
    // With another content type a server says: this is no error of mine.
    if response[header: "Content-Type"] == "application/json", let document {
      let (name, message) = (document["error_code"]?.string, document["error"]?.string)
      if name != nil || message != nil {
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
