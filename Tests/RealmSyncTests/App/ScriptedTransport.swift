// SPDX-License-Identifier: Apache-2.0

// An app server that a test writes.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmText

/// Answers requests by their method and path, and keeps them.
final class ScriptedTransport: HTTPTransport {
  static let location =
    #"{"deployment_model":"LOCAL","location":"here","hostname":"http://server","#
    + #""ws_hostname":"ws://server"}"#

  private let answers: Locked<[String: [HTTPResponse]]>
  let requests = Locked<[HTTPRequest]>([])

  /// - Parameter answers: The answers to "GET /path", in order; the last is repeated.
  init(_ answers: [String: [HTTPResponse]] = [:]) {
    self.answers = Locked(answers)
    set("GET /api/client/v2.0/app/todos/location", [.json(Self.location)])
  }

  func set(_ key: String, _ responses: [HTTPResponse]) {
    answers.withLock { $0[key] = responses }
  }

  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    requests.withLock { $0.append(request) }
    await Task.yield()
    var path = request.url
    if let range = path.firstRange(of: "://") { path = String(path[range.upperBound...]) }
    path = String(path.drop { $0 != "/" })
    let key = request.method.rawValue + " " + path
    let answer = answers.withLock { answers -> HTTPResponse? in
      guard let first = answers[key]?.first else { return nil }
      if answers[key]?.count ?? 0 > 1 { answers[key]?.removeFirst() }
      return first
    }
    guard let answer else { throw .transport("nobody answers \(key)") }
    return answer
  }

  /// The requests with a path that ends so.
  func requests(_ suffix: String) -> [HTTPRequest] {
    requests.withLock { $0.filter { $0.url.hasSuffix(suffix) } }
  }

  /// A server that knows an anonymous user, and gives tokens.
  static func withAnonymousUser() -> ScriptedTransport {
    let transport = ScriptedTransport()
    transport.set(
      "POST /api/client/v2.0/app/todos/auth/providers/anon-user/login",
      [.json(TestToken.login(user: "00000000000000000000000a"))])
    transport.set(
      "GET /api/client/v2.0/auth/profile",
      [
        .json(
          #"{"user_id":"a","domain_id":"d","type":"normal","identities":"#
            + #"[{"id":"i","provider_type":"anon-user"}],"data":{"name":"Ann"}}"#)
      ])
    transport.set(
      "POST /api/client/v2.0/auth/session",
      [.json(#"{"access_token":"\#(TestToken.text(expires: 200))"}"#)])
    transport.set("DELETE /api/client/v2.0/auth/session", [HTTPResponse(status: 204)])
    return transport
  }
}

extension HTTPResponse {
  static func json(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [HTTPHeader("content-type", "application/json")],
      body: Array(text.utf8))
  }
}

/// Tokens of tests.
enum TestToken {
  static func text(expires: Int, userData: String? = nil) -> String {
    let data = userData.map { #","user_data":\#($0)"# } ?? ""
    let payload = #"{"exp":\#(expires),"iat":1\#(data)}"#
    return "e30." + Base64.encode(Array(payload.utf8)).replacing("=", with: "") + ".c2ln"
  }

  static func login(user: String) -> String {
    #"{"access_token":"\#(text(expires: 100))","refresh_token":"\#(text(expires: 900))","#
      + #""user_id":"\#(user)","device_id":"0000000000000000000000ff"}"#
  }
}
