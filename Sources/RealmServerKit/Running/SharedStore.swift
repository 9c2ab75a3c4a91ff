// SPDX-License-Identifier: Apache-2.0

// The database in which a server keeps realms, users and triggers in place of files of its folder.
//
// Invariants:
// 1. A folder that was served with a database is not served without one: its devices would find
//    empty realms. Nor does a folder with realms get a database, which does not have them.
// 2. A database into which a folder is being moved is not served, whatever folder a server has: it
//    lacks realms that devices have.
// 3. Users of an app in the folder are not left out silently: the database has users of the app, or
//    the app is not served.

#if Server
import Foundation
import Logging
import RealmDeclarations
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

#if Postgres
import RealmServerPostgres
#endif

/// A database with the realms, users and triggers of all apps of a folder.
struct SharedStore: Sendable {
  let store: any ServerStore
  /// Identifies the database.
  let database: String
  /// What the servers of the database have in common beside realms.
  let settings: SharedSettings
  /// Tells other servers of this one.
  let announce: @Sendable (_ url: String?) throws(StoreError) -> Void
  /// Milliseconds since 1970 by the clock of the database; nil if it is not known.
  let time: @Sendable () -> Int64?
  /// Has the addresses of the servers.
  let directory: any NodeDirectory
  /// The files that servers share.
  let files: any SharedFiles
  /// The other servers that use the database. Blocks the thread.
  let present: @Sendable () throws(StoreError) -> [String]
  /// Takes a realm of a file, and returns false if it was there. Blocks the thread.
  let take: @Sendable (RealmExport) throws(StoreError) -> Bool
  /// The name of this server in the database.
  let node: String
  /// The realms of an app. Blocks the thread.
  let realms: @Sendable (String) throws(StoreError) -> [RealmID]
  /// The classes of the realms of an app.
  let classes: @Sendable (String) throws(StoreError) -> [DeclaredSchema]
  /// The users of an app. Blocks the thread.
  let users: @Sendable (String) throws(StoreError) -> any RecordStore
  /// The triggers of an app; nil if there are none and none are needed. Blocks the thread.
  let triggers: @Sendable (_ app: String, _ isNeeded: Bool) throws(StoreError) -> (any RecordStore)?

  /// Opens the database of the options; nil if the realms are in files of the folder.
  static func open(
    _ options: ServerOptions, _ directory: ServerDirectory, _ logger: Logger
  ) throws(ServerFailure) -> SharedStore? {
    guard let address = options.store else {
      guard !directory.hasSharedRealms else {
        for app in try directory.appFolders() where directory.hasRealms(of: app) {
          throw ServerFailure(
            "A move of \(directory.path) to a database has not ended. Give the same realm-server "
              + "move command again, or remove \(directory.replicasPath) to go on with the files, "
              + "which have everything.")
        }
        throw ServerFailure(
          "The realms of \(directory.path) are in a database: give its address with --store. To "
            + "go on with empty realms, move \(directory.replicasPath) away.")
      }
      return nil
    }
    for app in try directory.appFolders() where directory.hasRealms(of: app) {
      guard !directory.hasSharedRealms else {
        throw ServerFailure(
          "The move of \(directory.path) to a database has not ended. Give the same realm-server "
            + "move command again, which goes on with it.")
      }
      throw ServerFailure(
        "The app \(app) has realms in \(directory.path), which the database of --store does not "
          + "have. Move them there with realm-server move, or serve the folder without --store.")
    }
    let shared = try open(address, directory, logger)
    try shared.requireNoMove(ignoresMark: options.replacesMissing)
    guard
      options.replacesMissing
        || !SharedSettings.isOfOther(shared.database, folder: directory.path)
    else {
      throw ServerFailure(
        "The folder \(directory.path) was served with another database than that of --store, which "
          + "may not know its users and devices. Name the other one, or start once with "
          + "--replace-missing.")
    }
    for path in try shared.settings.pull() {
      logger.info("\(path) is the one of the database")
    }
    return shared
  }

  /// Gives other servers what the folder has at the start, and registers this one.
  func share(_ options: ServerOptions, _ logger: Logger) throws(ServerFailure) {
    for notice in try settings.push(removes: false) { logger.warning("\(notice)") }
    do throws(StoreError) { try announce(options.nodeURL) } catch {
      throw ServerFailure(
        "The database of --store cannot be used: \(ServerFailure.text(error))")
    }
    if options.replacesMissing {
      try endMove()
    } else {
      // A move that began meanwhile has not seen this server.
      try requireNoMove()
    }
  }

  /// The time of the database, by which its servers agree on the age of tokens; that of another
  /// clock while it is not known.
  func clock(before other: ServerClock) -> ServerClock {
    ServerClock { [time] in time().map { OriginTimestamp(unixMilliseconds: $0) } ?? other.now() }
  }

  /// Opens a database for a folder. Blocks the thread.
  ///
  /// - Parameter replicas: The folder of the replicas; nil for that of a server.
  static func open(
    _ address: String, _ directory: ServerDirectory, replicas: String? = nil, _ logger: Logger
  ) throws(ServerFailure) -> SharedStore {
    #if Postgres
    do throws(StoreError) {
      let store = try PostgresStore(
        PostgresConnector(address), folder: replicas ?? directory.replicasPath,
        onProblem: { logger.error("\($0)") })
      return SharedStore(
        store: store, database: store.identity,
        settings: SharedSettings(store.files, folder: directory.path, database: store.identity),
        announce: { (url) throws(StoreError) in
          try store.nodes.announce(url, program: LibraryVersion.text)
        },
        time: { [time = store.time] in time.now() },
        directory: SharedNodes { (node) throws(StoreError) in try store.nodes.address(of: node) },
        files: store.files, present: { () throws(StoreError) in try store.nodes.present() },
        take: { (export) throws(StoreError) in try store.take(export) == .moved },
        node: store.node, realms: { (app) throws(StoreError) in try store.realmIDs(ofApp: app) },
        classes: { (app) throws(StoreError) in try store.classes(ofApp: app) },
        users: { (app) throws(StoreError) in try store.records(.users, ofApp: app) },
        triggers: { (app, isNeeded) throws(StoreError) in
          if !isNeeded, try !store.hasRecords(.triggers, ofApp: app) { return nil }
          return try store.records(.triggers, ofApp: app)
        })
    } catch {
      throw ServerFailure(
        "The database of --store cannot be used: \(ServerFailure.text(error))")
    }
    #else
    throw ServerFailure(
      "The option --store needs a realm-server with the trait Postgres: build it with "
        + "--traits Server,Postgres.")
    #endif
  }
}

extension ServerDirectory {
  /// The folder with the replicas of realms that are in a database.
  var replicasPath: String { path + "/replicas" }

  /// Whether the realms of the folder are in a database.
  package var hasSharedRealms: Bool { exists(replicasPath) }

  /// Whether an app has realms in the folder.
  func hasRealms(of app: String) -> Bool {
    let files = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/apps/\(app)/realms")
    return files?.contains { $0.hasSuffix(".realm") } ?? false
  }

  /// Fails where the realms are in a database, for commands that need them in files.
  package func requireOwnRealms(for command: String) throws(ServerFailure) {
    guard hasSharedRealms else { return }
    throw ServerFailure(
      "The realms of \(path) are in a database, and realm-server \(command) works on files "
        + "alone. Use the tools of PostgreSQL for the database, and copy the other files of the "
        + "folder while the server is stopped.")
  }
}
#endif
