// SPDX-License-Identifier: Apache-2.0

// The files of the page. The plugin `StudioPage` puts their texts into the program.

#if Tools

/// The page's files: a request can name these and nothing else.
struct PageFiles: Sendable {
  private let files = pageTexts.mapValues { Array($0.utf8) }

  /// The answer for a path; nil if the page has no such file.
  func response(_ path: String) -> StudioResponse? {
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    guard let bytes = files[name], let type = Self.type(of: name) else { return nil }
    return StudioResponse(contentType: type, body: .bytes(bytes))
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
