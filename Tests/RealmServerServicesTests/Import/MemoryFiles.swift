// SPDX-License-Identifier: Apache-2.0

// Files of an import in memory.

#if Server
import RealmFormats
import RealmServerServices

/// Files by their paths.
struct MemoryFiles: ImportFiles {
  /// The bytes that an input gives at a time.
  var blockByteCount = 1_000
  private(set) var contents: [String: [UInt8]] = [:]

  subscript(path: String) -> [UInt8]? {
    get { contents[path] }
    set { contents[path] = newValue }
  }

  mutating func add(_ texts: [String: String]) {
    for (path, text) in texts { contents[path] = Array(text.utf8) }
  }

  func entries(of folder: String) -> [ImportEntry]? {
    var found: [String: ImportEntry] = [:]
    for (path, bytes) in contents where path.hasPrefix(folder + "/") {
      let rest = path.dropFirst(folder.count + 1)
      let name = String(rest.prefix { $0 != "/" })
      found[name] = ImportEntry(
        name, isFolder: rest.contains("/"), byteCount: rest.contains("/") ? 0 : bytes.count)
    }
    return found.isEmpty ? nil : found.values.sorted { $0.name < $1.name }
  }

  func content(of path: String) -> [UInt8]? { contents[path] }

  func open(_ path: String) throws(ImportError) -> any ImportInput {
    guard let bytes = contents[path] else { throw ImportError("There is no file \(path).") }
    return MemoryInput(bytes, blockByteCount)
  }
}

private final class MemoryInput: ImportInput {
  private let bytes: [UInt8]
  private let size: Int
  private var position = 0

  init(_ bytes: [UInt8], _ size: Int) {
    self.bytes = bytes
    self.size = size
  }

  var byteCount: Int { bytes.count }

  func next() -> [UInt8] {
    let end = min(bytes.count, position + size)
    defer { position = end }
    return Array(bytes[position..<end])
  }
}
#endif
