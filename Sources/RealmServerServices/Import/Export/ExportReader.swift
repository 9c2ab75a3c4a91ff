// SPDX-License-Identifier: Apache-2.0

// The files of an export, as JSON.

#if Server
import RealmFormats

/// Reads files of a folder.
struct ExportReader {
  let folder: String
  let files: any ImportFiles

  /// The JSON of a file; nil if there is no such file.
  func json(_ path: String) throws(ImportError) -> JSONValue? {
    let full = "\(folder)/\(path)"
    guard let bytes = try files.content(of: full) else { return nil }
    do throws(JSONError) {
      return try JSONParser.parse(bytes)
    } catch {
      throw ImportError("\(full) is no JSON: \(error). Export the app again.")
    }
  }

  /// The first existing one of some files.
  func first(of paths: [String]) throws(ImportError) -> (path: String, json: JSONValue)? {
    for path in paths {
      if let json = try json(path) { return (path, json) }
    }
    return nil
  }

  /// The names of the folders in a folder.
  func folders(in path: String) -> [String] {
    (files.entries(of: "\(folder)/\(path)") ?? []).filter { $0.isFolder && !isHidden($0.name) }
      .map(\.name)
  }

  /// The names of the files with a suffix in a folder.
  func names(in path: String, suffix: String = ".json") -> [String] {
    (files.entries(of: "\(folder)/\(path)") ?? [])
      .filter { !$0.isFolder && $0.name.hasSuffix(suffix) && !isHidden($0.name) }.map(\.name)
  }

  private func isHidden(_ name: String) -> Bool { name.hasPrefix(".") }
}
#endif
