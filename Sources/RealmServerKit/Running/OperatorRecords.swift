// SPDX-License-Identifier: Apache-2.0

// The users and triggers of a folder's apps, for commands.

#if Server
import Foundation
import Logging
package import RealmServerEngine
package import RealmServerServices
package import RealmSyncProtocol

/// Opens the users and the triggers of apps beside servers that may run: in files of the folder, or
/// in its database.
package struct OperatorRecords: Sendable {
  private let directory: ServerDirectory
  private let shared: SharedStore?
  /// The replicas that the command reads: those of the folder are a server's.
  private let replicas: String?

  /// Opens the database if the folder has one. Blocks the thread.
  ///
  /// - Parameter store: The address of the database; nil if the records are in files.
  /// - Throws: `ServerFailure` if the address is missing, needless, or that of another database,
  ///   or of one into which a folder is being moved.
  package init(_ directory: ServerDirectory, store: String?) throws(ServerFailure) {
    self.directory = directory
    guard let store else {
      guard !directory.hasSharedRealms else {
        throw ServerFailure(
          "The users and triggers of \(directory.path) are in a database: give its address with "
            + "--store.")
      }
      (shared, replicas) = (nil, nil)
      return
    }
    guard directory.hasSharedRealms else {
      throw ServerFailure(
        "The users and triggers of \(directory.path) are in files: leave --store out.")
    }
    let replicas = FileManager.default.temporaryDirectory
      .appendingPathComponent("realm-server-\(UUID().uuidString)").path
    do throws(ServerFailure) {
      let shared = try SharedStore.open(
        store, directory, replicas: replicas, Logger(label: "realm-server"))
      guard !SharedSettings.isOfOther(shared.database, folder: directory.path) else {
        throw ServerFailure(
          "The folder \(directory.path) was served with another database than that of --store.")
      }
      // Users and triggers that are not there yet would be made, and the move would miss them.
      try shared.requireNoMove()
      (self.shared, self.replicas) = (shared, replicas)
    } catch {
      try? FileManager.default.removeItem(atPath: replicas)
      throw error
    }
  }

  /// Removes what the command has made for itself. Is called once, after all else.
  package func close() {
    if let replicas { try? FileManager.default.removeItem(atPath: replicas) }
  }

  /// The users of an app. Blocks the thread.
  package func users(of app: String) throws(ServerFailure) -> AccountStore {
    let path = directory.accountsPath(app)
    do throws(StoreError) {
      let now = now
      guard let shared else {
        return try AccountStore.open(path, app: app, isNew: false, now: now)
      }
      return try AccountStore(shared.users(app), app: app, now: now)
    } catch {
      throw failure(usersOf: app, error)
    }
  }

  /// The failure of a call about the users of an app, in words for the operator.
  package func failure(usersOf app: String, _ error: StoreError) -> ServerFailure {
    let cause = ServerFailure.text(error)
    guard shared == nil else {
      return ServerFailure("The users of \(app) in the database cannot be used: \(cause)")
    }
    return ServerFailure(
      "\(directory.accountsPath(app)) cannot be used: \(cause). Start the server once, and use its "
        + "account.")
  }

  /// The triggers of an app; nil if none has run. Blocks the thread.
  package func triggers(of app: String) throws(ServerFailure) -> TriggerRecords? {
    do throws(StoreError) {
      if let shared {
        return try shared.triggers(app, false).map { (records) throws(StoreError) in
          try TriggerRecords(records, app: app)
        }
      }
      let path = directory.triggersPath(app)
      return directory.exists(path) ? try TriggerRecords.open(path, app: app) : nil
    } catch {
      throw ServerFailure.triggers(app, error)
    }
  }

  /// The time by which the records are dated: that of the database, if there is one.
  package var now: OriginTimestamp { clock.now() }

  /// See `now`.
  package var clock: ServerClock { shared?.clock(before: .machine) ?? .machine }
}

extension ServerFailure {
  /// The failure of a call about the triggers of an app.
  package static func triggers(_ app: String, _ error: StoreError) -> ServerFailure {
    ServerFailure("The triggers of the app \(app) cannot be read: \(text(error)).")
  }
}
#endif
