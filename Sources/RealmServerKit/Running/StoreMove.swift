// SPDX-License-Identifier: Apache-2.0

// A server's data moves from the files of its folder to a database.
//
// Invariants:
// 1. No server uses the folder meanwhile, and its files stay as they are until the database
//    has all of them. What is interrupted goes on with the next call.

#if Server
import Foundation
package import Logging
package import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// Moves the data of a folder.
package struct StoreMove: Sendable {
  /// A move that was done, for operators.
  package struct Report: Sendable {
    package fileprivate(set) var realmCount = 0
    package fileprivate(set) var userCount = 0
    /// The folder with the files that are not used any more; nil if there were none.
    package fileprivate(set) var aside: String?

    /// The report for programs.
    package var json: JSONValue {
      ["realms": JSONValue(realmCount), "users": JSONValue(userCount), "moved": JSONValue(aside)]
    }

    /// The report for people.
    package var text: String {
      let files = aside.map { "\nThe files are in \($0), and are not needed any more." } ?? ""
      return """
        The database has \(CountText.text(realmCount, "realm")) and \
        \(CountText.text(userCount, "user")) of the folder.\(files)
        Start the server with the same --store
        """
    }
  }

  private let directory: ServerDirectory
  private let shared: SharedStore
  private var report = Report()
  /// Whether the database may have got something.
  private var hasMoved = false

  /// Moves the data of a folder. Blocks the thread.
  ///
  /// - Parameters:
  ///   - path: The folder of a server that is stopped.
  ///   - address: The connection string of the database.
  package static func run(
    _ path: String, to address: String, logger: Logger
  ) throws(ServerFailure) -> Report {
    let directory = try ServerDirectory(existing: path)
    let lock = try DirectoryLock(path)
    defer { lock.release() }
    let apps = try directory.appFolders()
    for app in apps { _ = try directory.app(app) }
    var move = StoreMove(
      directory: directory, shared: try SharedStore.open(address, directory, logger))
    guard try !move.shared.settings.hasOtherKey() else {
      throw ServerFailure(
        "The database has another key of tokens than \(path): a server was started with it. Name a "
          + "database that no server has used, or the logins of the folder would be over.")
    }
    let isNew = try move.shared.beginMove(of: path)
    do throws(ServerFailure) {
      for notice in try move.shared.settings.push(removes: false) { logger.warning("\(notice)") }
      for app in apps { try move.move(app, logger) }
    } catch {
      // A database that another folder has filled stays one that can be served.
      if isNew, !move.hasMoved { try move.shared.endMove() }
      throw error
    }
    try move.shared.endMove()
    move.report.aside = try move.setAside(apps)
    return move.report
  }

  private init(directory: ServerDirectory, shared: SharedStore) {
    self.directory = directory
    self.shared = shared
  }

  private mutating func move(_ app: String, _ logger: Logger) throws(ServerFailure) {
    let files = DirectoryFiles(directory: directory.path)
    let realms: [RealmID]
    do throws(StorageError) { realms = try files.realms(ofApp: app) } catch {
      throw ServerFailure(
        "\(directory.appPath(app))/realms cannot be read: \(ServerFailure.text(error)).")
    }
    for realm in realms {
      let before = hasMoved
      hasMoved = true
      do throws(StoreError) {
        let isMoved = try shared.take(RealmExport(realm, in: files))
        hasMoved = before || isMoved
        logger.info("\(realm.rawValue) \(isMoved ? "is moved" : "was there")")
      } catch .ambiguousName {
        hasMoved = before
        throw ServerFailure(
          "The database has another realm in the place of \(realm.rawValue), or another state of "
            + "it. Name a database without realms of the app \(app).")
      } catch {
        throw Self.failure(files.path(of: realm), error)
      }
      report.realmCount += 1
    }
    let (accounts, triggers) = (directory.accountsPath(app), directory.triggersPath(app))
    if directory.exists(accounts) {
      hasMoved = true
      do throws(StoreError) {
        let count = try AccountCheck.counts(path: accounts).users
        let moved = try AccountStore.copy(
          from: accounts, to: shared.users(app), app: app, now: ServerClock.machine.now())
        guard moved == count else {
          throw .damaged("the database has other users of the app, \(moved) in all")
        }
        report.userCount += count
      } catch {
        throw Self.failure(accounts, error)
      }
    }
    guard directory.exists(triggers) else { return }
    do throws(StoreError) {
      guard let records = try shared.triggers(app, true) else { return }
      try TriggerRecords.copy(from: triggers, to: records, app: app)
    } catch {
      throw Self.failure(triggers, error)
    }
  }

  private static func failure(_ path: String, _ error: StoreError) -> ServerFailure {
    ServerFailure(
      "\(path) cannot be moved: \(ServerFailure.text(error)). All files are as they were; the "
        + "same command goes on.")
  }

  /// Puts the moved files into a folder of their own. Returns it; nil if there were none.
  private func setAside(_ apps: [String]) throws(ServerFailure) -> String? {
    let manager = FileManager.default
    let time = OperationTime.text(Date()).filter { $0.isNumber || $0 == "T" }
    let target = "\(directory.path)/moved-\(time)"
    var isMade = false
    for app in apps {
      let names = (try? manager.contentsOfDirectory(atPath: directory.appPath(app))) ?? []
      for name in names.sorted() where name == "realms" || name.contains(".realm") {
        do {
          try manager.createDirectory(
            atPath: "\(target)/apps/\(app)", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
          try manager.moveItem(
            atPath: "\(directory.appPath(app))/\(name)", toPath: "\(target)/apps/\(app)/\(name)")
        } catch {
          throw ServerFailure(
            "\(directory.appPath(app))/\(name) cannot be moved to \(target): "
              + "\(ServerFailure.text(error.localizedDescription)). The database has everything: "
              + "move the rest by hand.")
        }
        isMade = true
      }
    }
    return isMade ? target : nil
  }
}
#endif
