// SPDX-License-Identifier: Apache-2.0

// The settings, schemas and keys of servers whose store is shared: all have the same, and each can
// start with an empty folder.
//
// Invariants:
// 1. What the database has is what counts: a file that another server has changed since it was
//    read here is not overwritten, and takes the place of the one in the folder.
// 2. A file that a folder lacks at the start is none that was removed: a folder may be new. One
//    that was changed while the server was stopped counts, unless the database has a newer one.
// 3. A file is known once the folder has it: what could not be written is no change of the folder.
// 4. Each file that came from others is reported by one `pull`, whichever call brought it.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// Keeps the settings of a folder and those of the database equal.
final class SharedSettings: Sendable {
  /// The end of a change of one file.
  enum Outcome: Sendable {
    case stored
    /// Another server was faster: its content, which the folder has now.
    case newer([UInt8]?)
  }

  private struct State {
    /// The files as the database and the folder have them, by path.
    var known: [String: SharedServerFile] = [:]
    var common: SettingsFolder.Common
    /// The files that came from others and were not reported.
    var pending: Set<String> = []
  }

  private static let byteCountMax = 1 << 20

  private let files: any SharedFiles
  private let folder: SettingsFolder
  private let state: Locked<State>

  /// - Parameters:
  ///   - folder: The folder of the server.
  ///   - database: The identity of the database; nil where a test does not care.
  init(_ files: any SharedFiles, folder: String, database: String? = nil) {
    self.files = files
    self.folder = SettingsFolder(path: folder)
    var common = self.folder.common()
    if let database, common.database != database {
      common = SettingsFolder.Common(database: database)
    }
    state = Locked(State(common: common))
  }

  /// Whether a folder was used with another database, whose devices and users this one does not
  /// know.
  static func isOfOther(_ database: String, folder: String) -> Bool {
    let known = SettingsFolder(path: folder).common().database
    return known != nil && known != database
  }

  /// Has an element at the beginning, and after changes.
  func news() -> AsyncStream<Void> { files.news() }

  // MARK: Both ways

  /// Brings the changes of other servers into the folder. Blocks the thread.
  ///
  /// - Returns: The paths of the files that came from others since the last call.
  func pull() throws(ServerFailure) -> [String] {
    try state.withLock { (state) throws(ServerFailure) -> [String] in
      try pull(&state)
      try save(&state)
      defer { state.pending = [] }
      return state.pending.sorted()
    }
  }

  private func pull(_ state: inout State) throws(ServerFailure) {
    var failure: ServerFailure?
    // An earlier key comes before the one in its place, as `KeyRotation` 1 wants it.
    for file in try Self.asking(files.all()).reversed() where SettingsFolder.isSafe(file.path) {
      guard state.known[file.path] != file else { continue }
      let isFirst = state.known[file.path] == nil
      if !isFirst || !isChanged(file, since: state.common.files[file.path]) {
        do throws(ServerFailure) {
          if try take(file) { state.pending.insert(file.path) }
        } catch {
          failure = failure ?? error
          continue
        }
      }
      state.known[file.path] = file
    }
    if let failure { throw failure }
  }

  /// Whether the folder has another file than the one that it had in common with the database,
  /// which has that one still: it was changed while the server was stopped.
  private func isChanged(
    _ file: SharedServerFile, since common: SettingsFolder.Common.File?
  ) -> Bool {
    guard let common, common.version == file.version, let present = folder.content(of: file.path)
    else { return false }
    return SettingsFolder.digest(present) != common.digest
  }

  /// Brings a file of the database into the folder. Returns whether the folder had another.
  private func take(_ file: SharedServerFile) throws(ServerFailure) -> Bool {
    guard folder.content(of: file.path) != file.bytes else { return false }
    guard let bytes = file.bytes else {
      folder.remove(file.path)
      if let app = SettingsFolder.app(ofSettings: file.path) {
        try folder.setAside(app: app, at: Date())
      }
      return true
    }
    try folder.write(bytes, to: file.path)
    return true
  }

  /// Brings the changes of the folder into the database. Blocks the thread.
  ///
  /// - Parameter removes: Whether files that are gone from the folder go for all servers.
  /// - Returns: Sentences about files that another server has changed meanwhile.
  func push(removes: Bool = true) throws(ServerFailure) -> [String] {
    try state.withLock { (state) throws(ServerFailure) -> [String] in
      var notices: [String] = []
      let present = try folder.files()
      for path in present.reversed() {
        guard let bytes = folder.content(of: path) else { continue }
        guard bytes.count <= Self.byteCountMax else {
          throw ServerFailure(
            "\(folder.path)/\(path) has more than 1 MiB, too much for what servers share. Make it "
              + "smaller, or move it out of the folder.")
        }
        if state.known[path]?.bytes == bytes { continue }
        if case .newer = try put(bytes, at: path, &state) { notices.append(Self.notice(path)) }
      }
      for (path, file) in state.known where removes && file.bytes != nil {
        guard !present.contains(path), folder.content(of: path) == nil,
          SettingsFolder.isRemoval(path, besides: Set(present))
        else { continue }
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
      if case .stored = outcome { try folder.write(bytes, to: path) }
      try save(&state)
      return outcome
    }
  }

  private func put(
    _ bytes: [UInt8]?, at path: String, _ state: inout State
  ) throws(ServerFailure) -> Outcome {
    let version = state.known[path]?.version ?? 0
    if try Self.asking(files.put(bytes, at: path, after: version)) {
      state.known[path] = SharedServerFile(path: path, version: version + 1, bytes: bytes)
      return .stored
    }
    // It is no change of this folder any more.
    try pull(&state)
    let found = state.known[path]?.bytes
    // Both have made the same change.
    return found == bytes ? .stored : .newer(found)
  }

  /// Notes what is common from now on.
  private func save(_ state: inout State) throws(ServerFailure) {
    let common = SettingsFolder.Common(
      database: state.common.database,
      files: state.known.mapValues { file in
        SettingsFolder.Common.File(
          version: file.version, digest: SettingsFolder.digest(file.bytes))
      })
    guard common != state.common else { return }
    try folder.note(common)
    state.common = common
  }

  // MARK: The database

  /// Whether the database has another key of tokens than the folder: logins of one are none of the
  /// other.
  func hasOtherKey() throws(ServerFailure) -> Bool {
    let key = "keys/tokens"
    let found = try Self.asking(files.all()).first { $0.path == key }?.bytes
    return found != nil && found != folder.content(of: key)
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
}
#endif
