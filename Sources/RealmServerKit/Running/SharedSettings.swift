// SPDX-License-Identifier: Apache-2.0

// The settings, schemas and keys in the folder of a server whose store is shared: all servers have
// the same, and each can start with an empty folder.
//
// Invariants:
// 1. What the database has is what counts: a file that another server has changed since it was
//    read here is not overwritten, and takes the place of the one in the folder.
// 2. A file that a folder lacks at the start is none that was removed: a folder may be new. One
//    that was changed while the server was stopped counts, unless the database has a newer one.

#if Server
import Crypto
import Foundation
import RealmFormats
import RealmServerEngine
import RealmStorage

/// Keeps the settings of a folder and those of the database equal.
final class SharedSettings: Sendable {
  /// The end of a change of one file.
  enum Outcome: Sendable {
    case stored
    /// Another server was faster: its content, which the folder has now.
    case newer([UInt8]?)
  }

  /// What the folder and the database had in common last.
  private struct Common: Hashable {
    var version: Int64
    var digest: String
  }

  private struct State {
    /// The files as the database and the folder have them, by path.
    var known: [String: SharedFile] = [:]
    var common: [String: Common] = [:]
  }

  private static let byteCountMax = 1 << 20

  private let files: any SharedFiles
  private let folder: String
  private let state: Locked<State>

  /// - Parameter folder: The folder of the server.
  init(_ files: any SharedFiles, folder: String) {
    self.files = files
    self.folder = folder
    state = Locked(State(common: Self.common(in: folder)))
  }

  /// Wakes after changes.
  func news() -> AsyncStream<Void> { files.news() }

  // MARK: Both ways

  /// Brings the changes of other servers into the folder. Blocks the thread.
  ///
  /// - Returns: The paths of the files that have changed.
  func pull() throws(ServerFailure) -> [String] {
    try state.withLock { (state) throws(ServerFailure) -> [String] in
      let changed = try pull(&state)
      try save(&state)
      return changed
    }
  }

  private func pull(_ state: inout State) throws(ServerFailure) -> [String] {
    var changed: [String] = []
    for file in try Self.asking(files.all()).reversed() where Self.isSafe(file.path) {
      guard state.known[file.path]?.version != file.version else { continue }
      let isFirst = state.known.updateValue(file, forKey: file.path) == nil
      if isFirst, isChanged(file, since: state.common[file.path]) { continue }
      if try take(file) { changed.append(file.path) }
    }
    return changed.sorted()
  }

  /// Brings the changes of the folder into the database. Blocks the thread.
  ///
  /// - Parameter removes: Whether files that are gone from the folder go for all servers.
  /// - Returns: Sentences about files that another server has changed meanwhile.
  func push(removes: Bool = true) throws(ServerFailure) -> [String] {
    try state.withLock { (state) throws(ServerFailure) -> [String] in
      var notices: [String] = []
      var present: Set<String> = []
      // An earlier key comes before the one in its place, as `KeyRotation` 1 wants it.
      for path in paths().reversed() {
        present.insert(path)
        guard let bytes = content(of: path) else { continue }
        guard bytes.count <= Self.byteCountMax else {
          throw ServerFailure(
            "\(folder)/\(path) has more than 1 MiB, too much for what servers share. Make it "
              + "smaller, or move it out of the folder.")
        }
        if state.known[path]?.bytes == bytes { continue }
        if case .newer = try put(bytes, at: path, &state) { notices.append(Self.notice(path)) }
      }
      for (path, file) in state.known
      where removes && file.bytes != nil && !present.contains(path) {
        if case .newer = try put(nil, at: path, &state) { notices.append(Self.notice(path)) }
      }
      try save(&state)
      return notices
    }
  }

  private static func notice(_ path: String) -> String {
    "Another server has changed \(path) at the same time: its change counts, and is in the folder."
  }

  /// Stores one file, in the database and in the folder. Blocks the thread.
  func put(_ bytes: [UInt8], at path: String) throws(ServerFailure) -> Outcome {
    try state.withLock { (state) throws(ServerFailure) -> Outcome in
      let outcome = try put(bytes, at: path, &state)
      if case .stored = outcome { try write(bytes, to: path) }
      try save(&state)
      return outcome
    }
  }

  private func put(
    _ bytes: [UInt8]?, at path: String, _ state: inout State
  ) throws(ServerFailure) -> Outcome {
    let version = state.known[path]?.version ?? 0
    if try Self.asking(files.put(bytes, at: path, after: version)) {
      state.known[path] = SharedFile(path: path, version: version + 1, bytes: bytes)
      return .stored
    }
    _ = try pull(&state)
    let found = state.known[path]?.bytes
    // Both have made the same change.
    return found == bytes ? .stored : .newer(found)
  }

  private static func asking<R>(
    _ call: @autoclosure () throws(StoreError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) { return try call() } catch {
      throw ServerFailure(
        "The settings that servers share cannot be read from the database, or stored there: "
          + ServerFailure.text(error))
    }
  }

  // MARK: What was common

  private static let commonName = "shared.json"

  /// Whether the folder has another file than the one that it had in common with the database,
  /// which has that one still: it was changed while the server was stopped.
  private func isChanged(_ file: SharedFile, since common: Common?) -> Bool {
    guard let common, common.version == file.version, let present = content(of: file.path) else {
      return false
    }
    return Self.digest(present) != common.digest
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { String($0, radix: 16) }.joined(separator: ".")
  }

  private static func common(in folder: String) -> [String: Common] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(commonName)"),
      case .object(let members)? = try? JSONParser.parse(Array(data))
    else { return [:] }
    var common: [String: Common] = [:]
    for member in members {
      guard let version = member.value["version"]?.integer,
        let digest = member.value["digest"]?.string
      else { continue }
      common[member.key] = Common(version: version, digest: digest)
    }
    return common
  }

  /// Notes what is common from now on.
  private func save(_ state: inout State) throws(ServerFailure) {
    let common = state.known.compactMapValues { file in
      file.bytes.map { Common(version: file.version, digest: Self.digest($0)) }
    }
    guard common != state.common else { return }
    let members = common.sorted { $0.key < $1.key }.map { path, common in
      JSONMember(path, ["version": .integer(common.version), "digest": .string(common.digest)])
    }
    try write(JSONWriter.bytes(.object(members)), to: Self.commonName)
    state.common = common
  }

  // MARK: The folder

  /// Brings a file of the database into the folder. Returns whether the folder had another.
  private func take(_ file: SharedFile) throws(ServerFailure) -> Bool {
    let present = content(of: file.path)
    guard present != file.bytes else { return false }
    guard let bytes = file.bytes else {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(file.path)")
      return true
    }
    try write(bytes, to: file.path)
    return true
  }

  private func write(_ bytes: [UInt8], to path: String) throws(ServerFailure) {
    let target = "\(folder)/\(path)"
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

  private func content(of path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(folder)/\(path)").map { Array($0) }
  }

  /// The files of the folder that servers share.
  private func paths() -> [String] {
    let manager = FileManager.default
    var paths: [String] = []
    for root in ["keys", "apps"] {
      let found = manager.enumerator(atPath: "\(folder)/\(root)")?.compactMap { $0 as? String }
      for path in (found ?? []).map({ "\(root)/\($0)" }) {
        var isFolder: ObjCBool = false
        guard Self.isShared(path),
          unsafe manager.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        paths.append(path)
      }
    }
    return paths.sorted()
  }

  /// Whether servers share a file: not data of realms, users and triggers, mails, what imports
  /// have left, and unfinished writes.
  static func isShared(_ path: String) -> Bool {
    guard isSafe(path) else { return false }
    let names = path.split(separator: "/")
    guard names[0] == "apps" else { return names.count == 2 && !path.hasSuffix(".new") }
    guard names.count > 2, !["realms", "outbox"].contains(names[2]) else { return false }
    let last = names[names.count - 1]
    return !names.contains { $0.contains(".realm") } && !last.hasSuffix(".new")
      && !["lock", "import.unfinished", "rejected.jsonl"].contains(last)
  }

  /// Whether a path stays in the folders of settings.
  private static func isSafe(_ path: String) -> Bool {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return names.count > 1 && ["keys", "apps"].contains(names[0])
      && !names.contains { $0.isEmpty || $0.hasPrefix(".") } && !path.utf8.contains(0)
  }
}
#endif
