// SPDX-License-Identifier: Apache-2.0

// Signed requests to webhooks.
//
// Each has the header `Realm-Signature: t=<seconds since 1970>,v1=<hexadecimal digits>`: HMAC with
// SHA-256, by the secret of the webhook, of the time, a point and the body. Requests that triggers
// lead to have the header of `CallChain`, too.
//
// Invariants:
// 1. No redirection is followed: a signed request goes to the operator's address or nowhere.

#if Server
package import RealmSyncProtocol
import RealmText

/// Signs requests, and sends them.
package struct WebhookSender: Sendable {
  private let transport: any HTTPTransport
  private let chain: CallChain
  private let timer = SyncClock.continuous
  private let measure: @Sendable (CodeRun) -> Void
  private let sign: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - measure: Takes each request with its outcome.
  ///   - sign: HMAC with SHA-256.
  package init(
    _ transport: any HTTPTransport, chain: CallChain,
    measure: @escaping @Sendable (CodeRun) -> Void = { _ in },
    sign: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
  ) {
    self.transport = transport
    self.chain = chain
    self.measure = measure
    self.sign = sign
  }

  /// Sends a body of JSON. An answer of any status is an answer.
  ///
  /// - Parameters:
  ///   - event: The event in the body.
  ///   - now: Seconds since 1970.
  package func send(
    _ body: [UInt8], to hook: Webhook, for event: String, of app: String, now: Int64,
    timeout: Milliseconds
  ) async throws(AppFailure) -> HTTPResponse {
    let start = timer.now()
    var status = 0
    defer {
      measure(
        CodeRun(
          app: app, kind: .webhook(event), outcome: status == 200 ? .done : .failed,
          time: timer.now() - start, isRefusal: status == 422))
    }
    let signature = HexadecimalText.text(
      sign(Array("\(now).".utf8) + body, hook.secret.bytes))
    var headers = [
      HTTPHeader("Content-Type", "application/json"),
      HTTPHeader("Realm-Signature", "t=\(now),v1=\(signature)"),
    ]
    let depth = CallChain.depth
    if depth > 0 {
      headers.append(HTTPHeader(CallChain.header, chain.text(depth: depth, now: now)))
    }
    let answer = try await transport.send(
      HTTPRequest(
        .post, url: hook.url, headers: headers, body: body, timeout: timeout,
        followsRedirections: false))
    status = answer.status
    return answer
  }
}
#endif
