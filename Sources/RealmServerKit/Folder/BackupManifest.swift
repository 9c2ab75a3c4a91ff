// SPDX-License-Identifier: Apache-2.0

// What a backup says about itself: `backup.json`, written last.

#if Server
import Foundation
import RealmFormats

/// The list of a backup's files, and its time.
package struct BackupManifest: Hashable, Sendable {
  static let name = "backup.json"
  private static let format: Int64 = 1
  private static let byteCountMax = 256 << 20

  /// The version of the program.
  let program: String
  /// The times as text, in UTC.
  package let begin: String
  let end: String
  package let files: [FolderFile]

  init(program: String, begin: String, end: String, files: [FolderFile]) {
    self.program = program
    self.begin = begin
    self.end = end
    self.files = files
  }

  var json: JSONValue {
    [
      "format": .integer(Self.format), "program": .string(program), "begin": .string(begin),
      "end": .string(end),
      "files": .array(
        files.map { file in
          [
            "path": .string(file.path), "bytes": .integer(Int64(file.byteCount)),
            "sha256": .string(file.digest),
          ]
        }),
    ]
  }

  /// Reads the list of the backup in a folder; nil if the folder is none.
  package init?(in folder: String) throws(ServerFailure) {
    let path = "\(folder)/\(Self.name)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path), data.count <= Self.byteCountMax
    else { throw ServerFailure("\(path) cannot be read. Change its permissions.") }
    guard let json = try? JSONParser.parse(Array(data)), let manifest = Self(json) else {
      throw ServerFailure("\(path) is damaged, or of a later version. Use another backup.")
    }
    self = manifest
  }

  private init?(_ json: JSONValue) {
    guard json["format"]?.integer == Self.format, let program = json["program"]?.string,
      let begin = json["begin"]?.string, let end = json["end"]?.string,
      let list = json["files"]?.array
    else { return nil }
    var files: [FolderFile] = []
    for file in list {
      guard let path = file["path"]?.string, Self.isPlace(path),
        let count = file["bytes"]?.unsigned.flatMap({ Int(exactly: $0) }),
        let digest = file["sha256"]?.string
      else { return nil }
      files.append(FolderFile(path: path, byteCount: count, digest: digest))
    }
    self.init(program: program, begin: begin, end: end, files: files)
  }

  /// Whether a path stays within the data of a server: one of a manipulated list might not.
  private static func isPlace(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, ["apps", "keys"].contains(parts[0]) else { return false }
    return parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\0") }
  }

  /// What is wrong with the files of a folder that should have them, as sentences without full
  /// stops.
  package func findings(in folder: String) -> [String] {
    files.compactMap { file in
      guard FileManager.default.fileExists(atPath: "\(folder)/\(file.path)") else {
        return "\(file.path) is missing"
      }
      guard let found = try? FolderFile(file.path, in: folder) else {
        return "\(file.path) cannot be read"
      }
      return found == file ? nil : "\(file.path) is not as it was written"
    }
  }
}
#endif
