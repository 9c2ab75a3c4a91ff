// SPDX-License-Identifier: Apache-2.0

// Requests to Google and Facebook during a login.

#if Server
import RealmFormats
import RealmSyncProtocol
import RealmText

/// Asks a provider about a login.
struct ProviderCalls {
  private static let timeout: Milliseconds = 10_000
  private static let answerByteCountMax = 64 << 10
  private static let messageByteCountMax = 256
  /// An access token that is not valid, or not any more.
  private static let facebookTokenError: Int64 = 190

  let name: String
  let transport: any HTTPTransport

  /// Sends a form, as clients of OAuth do.
  func post(
    _ url: String, _ fields: [(name: String, value: String)]
  ) async throws(AccountError) -> JSONValue {
    try await send(
      HTTPRequest(
        .post, url: url,
        headers: [
          HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
          HTTPHeader("Accept", "application/json"),
        ], body: Array(Self.form(fields).utf8), timeout: Self.timeout, followsRedirections: false))
  }

  func get(
    _ url: String, _ fields: [(name: String, value: String)]
  ) async throws(AccountError) -> JSONValue {
    try await send(
      HTTPRequest(
        .get, url: url + "?" + Self.form(fields),
        headers: [HTTPHeader("Accept", "application/json")], timeout: Self.timeout,
        followsRedirections: false))
  }

  /// - Throws: `AccountError.refused` if the provider refuses, `.providerFailed` if it does not
  ///   answer as it should.
  private func send(_ request: HTTPRequest) async throws(AccountError) -> JSONValue {
    let answer: HTTPResponse
    do throws(AppFailure) {
      answer = try await transport.send(request)
    } catch {
      throw .providerFailed("\(name) did not answer: \(error)")
    }
    let json =
      answer.body.count <= Self.answerByteCountMax ? try? JSONParser.parse(answer.body) : nil
    if let json, Self.isRefusal(answer.status, json) {
      let text =
        json["error"]?["message"]?.string ?? json["error_description"]?.string
        ?? json["error"]?.string ?? "status \(answer.status)"
      throw .refused(
        "\(name) refuses the login: \(text.cut(toByteCount: Self.messageByteCountMax))")
    }
    guard answer.status == 200, let json, case .object = json else {
      throw .providerFailed("\(name) answered with the status \(answer.status), or with no JSON")
    }
    return json
  }

  /// Whether an answer is about the code or token. Others are about the app, as a wrong secret is,
  /// or the provider: no user has to answer for these.
  private static func isRefusal(_ status: Int, _ json: JSONValue) -> Bool {
    status == 400
      && (json["error"]?.string == "invalid_grant"
        || json["error"]?["code"]?.integer == facebookTokenError)
  }

  /// Refuses what is longer than tokens are.
  static func checkSize(of text: String) throws(AccountError) {
    guard (1...ForeignToken.byteCountMax).contains(text.utf8.count) else {
      throw .refused("the token has no size of tokens")
    }
  }

  private static func form(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name)=\(PercentText.encoded($0.value))" }.joined(separator: "&")
  }
}
#endif
