// SPDX-License-Identifier: Apache-2.0

// The files of a folder that servers with one database share, and what is known of their last
// common state.

#if Server
import Crypto
import Foundation
import RealmFormats
import RealmStorage

/// The settings, schemas and keys in the folder of a server.
struct SettingsFolder: Sendable {
  /// What the folder and the database had in common last.
  struct Common: Hashable {
    /// The identity of the database.
    var database: String?
    var files: [String: File] = [:]

    /// A file that both had.
    struct File: Hashable {
      var version: Int64
      /// Of the content; empty if the file was removed.
      var digest: String
    }
  }

  private static let commonName = "shared.json"
  private static let roots = ["apps", "keys"]

  let path: String

  // MARK: Files

  func content(of file: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(path)/\(file)").map { Array($0) }
  }

  /// Writes a file, whole or not at all, and makes its folder.
  func write(_ bytes: [UInt8], to file: String) throws(ServerFailure) {
    let target = "\(path)/\(file)"
    do {
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path,
        withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure(
        "The folder of \(target) cannot be made: "
          + "\(ServerFailure.text(error.localizedDescription)). Change its permissions.")
    }
    do throws(StorageError) {
      try DurableFile.write(bytes, to: target)
    } catch {
      throw ServerFailure(
        "\(target) cannot be written: \(ServerFailure.text(error)). Change the folder's "
          + "permissions, or make room.")
    }
  }

  func remove(_ file: String) { try? FileManager.default.removeItem(atPath: "\(path)/\(file)") }

  /// Puts the rest of an app that other servers have removed out of the way: it is not served.
  func setAside(app: String, at time: Date) throws(ServerFailure) {
    let folder = "\(path)/apps/\(app)"
    guard FileManager.default.fileExists(atPath: folder) else { return }
    let time = OperationTime.text(time).filter { $0.isNumber || $0 == "T" }
    do {
      try FileManager.default.moveItem(atPath: folder, toPath: "\(path)/removed-\(time)-\(app)")
    } catch {
      throw ServerFailure(
        "\(folder) cannot be moved: \(ServerFailure.text(error.localizedDescription)). The app was "
          + "removed at another server: remove the folder.")
    }
  }

  // MARK: Which files

  /// The files that servers share.
  ///
  /// - Throws: If a folder of them cannot be read: its files are not gone then.
  func files() throws(ServerFailure) -> [String] {
    let manager = FileManager.default
    var files: [String] = []
    for root in Self.roots {
      let list = "\(path)/\(root)"
      guard manager.isReadableFile(atPath: list), let found = manager.enumerator(atPath: list)
      else {
        throw ServerFailure("\(list) cannot be read. Put it back, or change its permissions.")
      }
      for name in found.compactMap({ $0 as? String }) {
        var isFolder: ObjCBool = false
        let file = "\(root)/\(name)"
        guard Self.isShared(file),
          unsafe manager.fileExists(atPath: "\(path)/\(file)", isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        files.append(file)
      }
    }
    return files.sorted()
  }

  /// Whether a file that the folder lacks, beside some others, was removed on purpose.
  static func isRemoval(_ file: String, besides present: Set<String>) -> Bool {
    guard file.hasPrefix("keys/") else { return true }
    // Earlier keys go when they are over; a server never runs without the present one.
    return file != "keys/tokens" && present.contains("keys/tokens")
  }

  /// Whether servers share a file: not data of realms, users and triggers, mails, what imports have
  /// left, and unfinished writes.
  static func isShared(_ file: String) -> Bool {
    guard isSafe(file) else { return false }
    let names = file.split(separator: "/")
    guard names[0] == "apps" else { return names.count == 2 && !file.hasSuffix(".new") }
    guard names.count > 2, !["realms", "outbox"].contains(names[2]) else { return false }
    let last = names[names.count - 1]
    return !names.contains { $0.contains(".realm") } && !last.hasSuffix(".new")
      && !["lock", "import.unfinished", "rejected.jsonl"].contains(last)
  }

  /// Whether a path stays in the folders of settings.
  static func isSafe(_ file: String) -> Bool {
    let names = file.split(separator: "/", omittingEmptySubsequences: false)
    return names.count > 1 && roots.contains(String(names[0]))
      && !names.contains { $0.isEmpty || $0.hasPrefix(".") } && !file.utf8.contains(0)
  }

  /// The app whose settings a file are; nil for others.
  static func app(ofSettings file: String) -> String? {
    let names = file.split(separator: "/")
    return names.count == 3 && names[2] == "app.json" ? String(names[1]) : nil
  }

  // MARK: The last common state

  static func digest(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "" }
    return SHA256.hash(data: bytes).map { String($0, radix: 16) }.joined(separator: ".")
  }

  /// The last common state; none if it was never noted, or is damaged: then the database counts.
  func common() -> Common {
    var common = Common()
    guard let bytes = content(of: Self.commonName), let text = try? JSONParser.parse(bytes),
      case .object(let members)? = text["files"]
    else { return common }
    common.database = text["database"]?.string
    for member in members {
      guard let version = member.value["version"]?.integer,
        let digest = member.value["digest"]?.string
      else { continue }
      common.files[member.key] = Common.File(version: version, digest: digest)
    }
    return common
  }

  func note(_ common: Common) throws(ServerFailure) {
    let members = common.files.sorted { $0.key < $1.key }.map { path, file in
      JSONMember(path, ["version": .integer(file.version), "digest": .string(file.digest)])
    }
    let text: JSONValue = [
      "database": JSONValue(common.database), "files": .object(members),
    ]
    try write(JSONWriter.bytes(text), to: Self.commonName)
  }
}
#endif
