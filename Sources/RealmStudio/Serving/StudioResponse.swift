// SPDX-License-Identifier: Apache-2.0

// An answer of HTTP as a value.

#if Tools
import RealmFormats

/// An answer, independent of its sender.
struct StudioResponse: Sendable {
  /// The content of an answer.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the stream ends.
    case events(AsyncStream<String>)
    /// Pieces, made while they are sent. If one fails the connection ends, so that the received
    /// part is not taken for the whole.
    case pieces(ResultPieces)
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

  init(_ failure: StudioFailure) { self.init(failure.json, status: failure.status) }

  /// A failure as a page of its own, for an address opened in a browser. It needs nothing else from
  /// the server, because nothing else is sent without the token.
  static func page(_ failure: StudioFailure) -> StudioResponse {
    func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
    let page = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Realm Studio</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark"></head>
      <body><main><h1>Realm Studio</h1><p>\(escaped(failure.message))</p>
      <p>\(escaped(failure.remedy ?? ""))</p></main></body></html>

      """
    return StudioResponse(
      status: failure.status, contentType: "text/html; charset=utf-8",
      body: .bytes(Array(page.utf8)))
  }

  /// Every answer forbids everything else: foreign scripts and styles, frames, other origins,
  /// copies in caches.
  private static let safety: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
#endif
