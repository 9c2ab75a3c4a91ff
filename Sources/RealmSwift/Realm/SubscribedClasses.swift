// SPDX-License-Identifier: Apache-2.0

// The classes that have subscriptions, as a write transaction needs them (P5 2).
//
// 1. What is known here is of the open transaction, as it began.

import RealmSession
import RealmStorage
import RealmTables

/// The classes of which a realm can create objects: the server would undo the creation of others.
///
/// The newest subscription set as of the start of the transaction decides, whatever its state.
final class SubscribedClasses {
  private let synchronisation: any Synchronisation
  private var names: Set<String>?
  /// The class that was asked about last, and may be written to.
  private var allowed: TableKey?

  /// Nil for a realm without subscriptions.
  init?(_ configuration: Realm.Configuration) {
    guard let synchronisation = configuration.synchronisation, synchronisation.isFlexible else {
      return nil
    }
    self.synchronisation = synchronisation
  }

  /// Traps if objects of a top-level class with a primary key are created, and no subscription has
  /// the class.
  @inline(__always)
  func require(_ info: ClassInfo, in core: RealmCore) throws(StorageError) {
    if allowed == info.tableKey { return }
    try find(info, core)
  }

  @inline(never)
  private func find(_ info: ClassInfo, _ core: RealmCore) throws(StorageError) {
    assert(core.isInWrite, "`SubscribedClasses` 1: there is no transaction")
    guard info.schema.tableKind == .topLevel else { return }
    let names: Set<String> = if let names { names } else { try read(core) }
    self.names = names
    guard names.contains(info.schema.className) else {
      throwRealmException(
        "Cannot write to class \(info.schema.className) when no flexible sync subscription has "
          + "been created.")
    }
    allowed = info.tableKey
  }

  private func read(_ core: RealmCore) throws(StorageError) -> Set<String> {
    guard let transaction = core.transaction else { return [] }
    let base = try core.shared.tables(of: transaction.transaction.base)
    return try synchronisation.subscribedClasses(in: base)
  }

  /// Forgets what was found: the transaction has ended.
  func forget() {
    names = nil
    allowed = nil
  }
}
