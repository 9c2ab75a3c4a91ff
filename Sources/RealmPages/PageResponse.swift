// SPDX-License-Identifier: Apache-2.0

// An answer to a page as a value.

#if Tools || Server
package import RealmFormats

/// An answer, independent of its sender.
package struct PageResponse: Sendable {
  /// The content of an answer.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the stream ends.
    case events(AsyncStream<String>)
    /// Pieces, made while they are sent. If one fails the connection ends, so that the received
    /// part is not taken for the whole.
    case pieces(any AsyncSequence<String, any Error> & Sendable)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body

  package init(status: Int = 200, contentType: String, body: Body) {
    self.status = status
    self.body = body
    headers = Self.safety + [("Content-Type", contentType)]
  }

  package init(_ json: JSONValue, status: Int = 200) {
    self.init(
      status: status, contentType: "application/json", body: .bytes(JSONWriter.bytes(json)))
  }

  package init(_ failure: PageFailure) { self.init(failure.json, status: failure.status) }

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
