// SPDX-License-Identifier: Apache-2.0

// Failures as Studio's page gets them, or as a page of their own.

#if Tools
import RealmPages

extension PageResponse {
  init(_ failure: StudioFailure) { self.init(failure.json, status: failure.status) }

  /// A failure as a page of its own, for an address opened in a browser. It needs nothing else from
  /// the server, because nothing else is sent without the token.
  static func page(_ failure: StudioFailure) -> PageResponse {
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
    return PageResponse(
      status: failure.status, contentType: "text/html; charset=utf-8",
      body: .bytes(Array(page.utf8)))
  }
}
#endif
