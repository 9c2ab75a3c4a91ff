// SPDX-License-Identifier: Apache-2.0

// The files of the page.

#if Tools
import Foundation

/// The page's files, read once: a request can name these and nothing else.
struct PageFiles: Sendable {
  private let files: [String: [UInt8]]

  /// - Throws: `StudioFailure` if the program was installed without its resources.
  init() throws(StudioFailure) {
    let folder = Bundle.module.bundleURL.appendingPathComponent("Page")
    var files: [String: [UInt8]] = [:]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where Self.type(of: name) != nil {
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { continue }
      files[name] = [UInt8](data)
    }
    guard files["index.html"] != nil else {
      throw StudioFailure(
        500, "The page is missing: '\(folder.path)' has no index.html.",
        remedy: "Keep the folder of resources beside the program.")
    }
    self.files = files
  }

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
