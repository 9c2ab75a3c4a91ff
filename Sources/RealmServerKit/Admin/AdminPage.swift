// SPDX-License-Identifier: Apache-2.0

// The files of the server's page. The plugin `StudioPage` puts their texts into the program.

#if Server

/// The page's files: a request can name these and nothing else.
struct AdminPage: Sendable {
  private let files = pageTexts.mapValues { Array($0.utf8) }

  /// The answer for a path; nil if the page has no such file.
  func response(_ path: [String]) -> AdminResponse? {
    guard path.count <= 1 else { return nil }
    let name = path.first ?? "index.html"
    guard let bytes = files[name], let type = Self.type(of: name) else { return nil }
    return AdminResponse(contentType: type, body: .bytes(bytes))
  }

  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: nil
    }
  }
}
#endif
