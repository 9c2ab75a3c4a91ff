// SPDX-License-Identifier: Apache-2.0

// The files of a dump.

#if Server
import RealmText

/// A file with documents.
package struct DumpSource: Hashable, Sendable {
  /// The form of a file.
  package enum Kind: Hashable, Sendable {
    case bson(DumpNamespace)
    case json(DumpNamespace)
    /// The documents of many collections.
    case archive
  }

  package let path: String
  package let kind: Kind
  package let byteCount: Int

  /// Opens the file.
  package func reader(in files: any ImportFiles) throws(ImportError) -> any DumpReader {
    let bytes = try DumpBytes(path, in: files)
    return switch kind {
    case .bson(let namespace): BSONDump(bytes, of: namespace)
    case .json(let namespace): JSONDump(bytes, of: namespace)
    case .archive: ArchiveDump(bytes)
    }
  }

  // MARK: Finding

  /// The files of a dump at a path: a file, or a folder of mongodump or mongoexport.
  package static func all(
    at path: String, in files: any ImportFiles
  ) throws(ImportError) -> [DumpSource] {
    guard let entries = files.entries(of: path) else {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let input = try files.open(path)
      return [try source(path, name, of: nil, input.byteCount, in: files)]
    }
    var sources: [DumpSource] = []
    for entry in entries where !entry.name.hasPrefix(".") {
      let child = "\(path)/\(entry.name)"
      if entry.isFolder {
        for file in files.entries(of: child) ?? [] where !file.isFolder && isData(file.name) {
          sources.append(
            try source(
              "\(child)/\(file.name)", file.name, of: entry.name, file.byteCount, in: files))
        }
      } else if isData(entry.name) {
        sources.append(try source(child, entry.name, of: nil, entry.byteCount, in: files))
      }
    }
    guard !sources.isEmpty else {
      throw ImportError(
        "\(path) has no files of mongodump (.bson, an archive) or of mongoexport (.json). Name the "
          + "folder that mongodump --out has made, or the file of mongodump --archive.")
    }
    return sources
  }

  private static let suffixes = [".bson", ".json", ".jsonl", ".ndjson", ".archive"]

  /// A name without the suffix of compressed files.
  private static func plain(_ name: String) -> String {
    name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
  }

  private static func isData(_ name: String) -> Bool {
    let plain = plain(name)
    return suffixes.contains { plain.hasSuffix($0) && plain.count > $0.count }
      && !plain.hasSuffix(".metadata.json") && plain != "prelude.json" && plain != "oplog.bson"
      && !plain.hasPrefix("system.") && !name.hasPrefix(".")
  }

  private static func source(
    _ path: String, _ name: String, of database: String?, _ byteCount: Int,
    in files: any ImportFiles
  ) throws(ImportError) -> DumpSource {
    let plain = plain(name)
    let suffix = suffixes.first { plain.hasSuffix($0) } ?? ""
    let namespace = DumpNamespace(
      database, PercentText.decoded(String(plain.dropLast(suffix.count))))
    let kind: Kind
    switch suffix {
    case ".bson": kind = .bson(namespace)
    case ".json", ".jsonl", ".ndjson": kind = .json(namespace)
    default:
      let bytes = try DumpBytes(path, in: files)
      guard try bytes.prepare(4), bytes.take(4) == ArchiveDump.magic else {
        throw ImportError(
          "\(path) is neither a file with documents (.bson, .json) nor an archive of mongodump. "
            + "Name the dump with --data.")
      }
      kind = .archive
    }
    return DumpSource(path: path, kind: kind, byteCount: byteCount)
  }
}
#endif
