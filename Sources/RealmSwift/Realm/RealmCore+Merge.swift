// SPDX-License-Identifier: Apache-2.0

// Writes the version that a realm shows into an existing file with data, in one transaction there.

import RealmSession
import RealmStorage
import RealmTables

extension RealmCore {
  /// Writes the version that the realm shows into the file of `configuration`, which exists.
  func merge(into configuration: Realm.Configuration) throws {
    let destination = try Realm(configuration: configuration).core
    let tables = try allTables()
    do throws(StorageError) {
      try destination.beginWrite()
    } catch { throw Realm.Error(error, path: destination.file.path) }
    do {
      guard let transaction = destination.transaction else { return }
      try requireSubscriptions(tables, configuration, destination)
      var merge = try RealmMerge(tables, into: transaction)
      try merge.run()
      destination.didMutate()
      try destination.commitWrite()
    } catch {
      if destination.isInWrite { destination.cancelWrite() }
      guard let failure = error as? StorageError else { throw error }
      throw Realm.Error(failure, path: destination.file.path)
    }
  }

  /// Checks that the destination has subscriptions of all classes with objects: the server would
  /// undo the creation of others.
  private func requireSubscriptions(
    _ tables: [Table], _ configuration: Realm.Configuration, _ destination: RealmCore
  ) throws {
    guard let synchronisation = configuration.synchronisation, synchronisation.isFlexible else {
      return
    }
    let names = try synchronisation.subscribedClasses(in: destination.shared.newestTables())
    for table in tables where table.schema.kind == .topLevel {
      guard let name = table.schema.className, !names.contains(name),
        try table.objectCount() > 0
      else { continue }
      throw Realm.Error(
        .noSubscriptionForWrite,
        message: "The Realm cannot be copied into the file '\(destination.file.path)': it has no "
          + "subscription of class '\(name)'. Add one first.",
        path: destination.file.path)
    }
  }

  /// All tables, in a write transaction as it left them.
  private func allTables() throws(StorageError) -> [Table] {
    var tables: [Table] = []
    if let transaction {
      for key in try transaction.tableKeys() {
        if let table = try transaction.table(key)?.table { tables.append(table) }
      }
      return tables
    }
    let group = try readableTables()
    for key in try group.tableKeys() {
      if let table = try group.table(key) { tables.append(table) }
    }
    return tables
  }
}
