// SPDX-License-Identifier: Apache-2.0

// Signed requests to webhooks.
//
// Each has the header `Realm-Signature: t=<seconds since 1970>,v1=<hexadecimal digits>`: HMAC with
// SHA-256, by the secret of the webhook, of the time, a point and the body.
//
// Invariants:
// 1. No redirection is followed: a signed request goes to the operator's address or nowhere.

package import RealmSyncProtocol
import RealmText

/// Signs requests, and sends them.
package struct WebhookSender: Sendable {
  private let transport: any HTTPTransport
  private let sign: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]

  /// - Parameter sign: HMAC with SHA-256.
  package init(
    _ transport: any HTTPTransport,
    sign: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
  ) {
    self.transport = transport
    self.sign = sign
  }

  /// Sends a body of JSON. An answer of any status is an answer.
  ///
  /// - Parameter now: Seconds since 1970.
  package func send(
    _ body: [UInt8], to hook: Webhook, now: Int64, timeout: Milliseconds
  ) async throws(AppFailure) -> HTTPResponse {
    let signature = sign(Array("\(now).".utf8) + body, hook.secret.bytes)
      .map { HexadecimalText.text(UInt64($0), digits: 2) }.joined()
    return try await transport.send(
      HTTPRequest(
        .post, url: hook.url,
        headers: [
          HTTPHeader("Content-Type", "application/json"),
          HTTPHeader("Realm-Signature", "t=\(now),v1=\(signature)"),
        ], body: body, timeout: timeout, followsRedirections: false))
  }
}
