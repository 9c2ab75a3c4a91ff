// SPDX-License-Identifier: Apache-2.0

// The files of a page. The plugin `StudioPage` puts their texts into the program.

#if Tools || Server

/// A page's files: a request can name these and nothing else.
package struct PageFiles: Sendable {
  private let files: [String: [UInt8]]

  /// - Parameter texts: The texts of the files by their names.
  package init(_ texts: [String: String]) { files = texts.mapValues { Array($0.utf8) } }

  /// The answer for a path; nil if the page has no such file.
  package func response(_ path: [String]) -> PageResponse? {
    guard path.count <= 1 else { return nil }
    let name = path.first ?? "index.html"
    guard let bytes = files[name], let type = Self.type(of: name) else { return nil }
    return PageResponse(contentType: type, body: .bytes(bytes))
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
