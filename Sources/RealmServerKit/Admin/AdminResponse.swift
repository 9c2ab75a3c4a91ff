// SPDX-License-Identifier: Apache-2.0

// An answer for the server's page as a value.

#if Server
import RealmFormats

/// A request without an answer.
struct AdminFailure: Error, Hashable {
  /// The status of HTTP.
  let status: Int
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// An answer, independent of its sender.
struct AdminResponse: Sendable {
  /// The content of an answer.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the stream ends.
    case events(AsyncStream<String>)
  }

  var status = 200
  var headers: [(name: String, value: String)]
  var body: Body

  init(status: Int = 200, contentType: String, body: Body) {
    self.status = status
    self.body = body
    headers = Self.safety + [("Content-Type", contentType)]
  }

  init(_ json: JSONValue, status: Int = 200) {
    self.init(
      status: status, contentType: "application/json", body: .bytes(JSONWriter.bytes(json)))
  }

  init(_ failure: AdminFailure) {
    self.init(["error": .string(failure.message)], status: failure.status)
  }

  /// Every answer forbids everything else: foreign scripts and styles, frames, other origins,
  /// copies in caches.
  private static let safety: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
#endif
