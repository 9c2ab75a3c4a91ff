// SPDX-License-Identifier: Apache-2.0

// The backups of a server by itself, as `server.json` asks for them.
//
// Invariants:
// 1. The names of the backups say when the next one is due: a restart forgets nothing, and a backup
//    due while no server ran is made at its start.
// 2. One backup is made at a time. After a failure the next attempt waits.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// Knows when the next backup is due, and how the last one ended.
final class ScheduledBackups: Sendable {
  /// The time from a failure to the next attempt.
  static let retryMilliseconds: UInt64 = 15 * 60_000

  /// The settings, and the last ends.
  private struct State {
    var settings: BackupSettings?
    /// The last checked backup.
    var last: OriginTimestamp?
    /// Why the last attempt failed; nil after a good one.
    var failure: String?
    var failed: OriginTimestamp?
    var failureCount = 0
  }

  private let directory: ServerDirectory
  private let clock: ServerClock
  private let state: Locked<State>

  /// Reads the settings.
  ///
  /// - Parameter isShared: Whether the realms are in a database, with tools of its own.
  init(_ directory: ServerDirectory, isShared: Bool, clock: ServerClock) throws(ServerFailure) {
    self.directory = directory
    self.clock = clock
    let settings = try directory.serverFile().backups
    guard settings == nil || !isShared else { throw Self.shared(directory) }
    state = Locked(State(settings: settings))
    findLast()
  }

  private static func shared(_ directory: ServerDirectory) -> ServerFailure {
    ServerFailure(
      "\(directory.serverFilePath) has \"backups\", and the realms of the server are in a "
        + "database. Remove \"backups\", and use the tools of PostgreSQL.")
  }

  // MARK: Settings

  /// Reads the settings again.
  ///
  /// - Returns: The text about them; nil if there are none, before and after.
  func reload() throws(ServerFailure) -> String? {
    let settings = try directory.serverFile().backups
    guard settings == nil || !directory.hasSharedRealms else { throw Self.shared(directory) }
    let before = state.withLock { state in
      let before = state.settings
      state.settings = settings
      if before != settings { (state.failure, state.failed) = (nil, nil) }
      return before
    }
    findLast()
    return text ?? before.map { _ in "The server makes no backups any more" }
  }

  private var folder: (BackupFolder, BackupSettings)? {
    state.withLock { $0.settings }.map { (BackupFolder($0.folder, of: directory.path), $0) }
  }

  /// `ScheduledBackups` 1
  private func findLast() {
    let last = folder?.0.times(upTo: clock.now()).last
    state.withLock { $0.last = last }
  }

  /// The text about the settings, for the log; nil if there are none.
  var text: String? {
    folder.map { folder, settings in
      "Backups are made in \(folder.path) by the schedule \"\(settings.schedule.text)\" (UTC), and "
        + "the last \(settings.keptCount) are kept"
    }
  }

  // MARK: Running

  /// Whether a backup is due: at the first minute of the schedule after the last backup, at once if
  /// there is none, and some time after a failure.
  var isDue: Bool {
    let now = clock.now()
    return state.withLock { state in
      guard let settings = state.settings else { return false }
      if let failed = state.failed, failed <= now,
        now.milliseconds - failed.milliseconds < Self.retryMilliseconds
      {
        return false
      }
      guard let last = state.last, last <= now else { return true }
      guard let next = settings.schedule.next(after: Self.minute(last)) else { return false }
      return next <= Self.minute(now)
    }
  }

  private static func minute(_ time: OriginTimestamp) -> Int64 {
    OperationTime.seconds(time) / 60
  }

  /// Makes a backup. Blocks the thread.
  ///
  /// - Parameter isWanted: Is asked between files.
  /// - Returns: The backup; nil if there are no settings.
  func make(
    isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> Result<Backup.Report, ServerFailure>? {
    guard let (folder, settings) = folder else { return nil }
    let result = Result { () throws(ServerFailure) in
      try folder.make(keeping: settings.keptCount, clock: clock, isWanted: isWanted)
    }
    let now = clock.now()
    let last = folder.times(upTo: now).last
    state.withLock { state in
      state.last = last
      switch result {
      case .success: (state.failure, state.failed) = (nil, nil)
      case .failure(let failure):
        (state.failure, state.failed) = (failure.description, now)
        state.failureCount += 1
      }
    }
    return result
  }

  // MARK: Reports

  /// The time of the last checked backup, in seconds since 1970: 0 if there is none; nil if the
  /// server makes none.
  var lastSeconds: Int64? {
    state.withLock { state in
      state.settings.map { _ in state.last.map { OperationTime.seconds($0) } ?? 0 }
    }
  }

  /// The number of failures since the start.
  var failureCount: Int { state.withLock { $0.failureCount } }

  /// The state for the page and for programs; null if the server makes no backups.
  var json: JSONValue {
    guard let (folder, settings) = folder else { return .null }
    let (last, failure) = state.withLock { ($0.last, $0.failure) }
    return [
      "folder": .string(folder.path), "schedule": .string(settings.schedule.text),
      "keep": JSONValue(settings.keptCount),
      "last": JSONValue(last.map { OperationTime.text($0) }), "failure": JSONValue(failure),
    ]
  }
}
#endif
