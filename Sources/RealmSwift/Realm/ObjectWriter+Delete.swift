// SPDX-License-Identifier: Apache-2.0

// Deleting objects, and the objects that rules delete with them.
//
// Invariants:
// 1. All checks that are possible are made before anything is deleted.

import RealmSession
import RealmTables

extension ObjectWriter {
  /// Deletes objects of this realm; deleting none is allowed everywhere.
  func delete(_ objects: [ObjectBase]) {
    if objects.isEmpty { return }
    core.requireWriteForObjects()
    var links: [StoredLink] = []
    links.reserveCapacity(objects.count)
    for object in objects {
      guard unsafe object._owner === core, let info = object._info else {
        throwRealmException("Can only delete an object from the Realm it belongs to.")
      }
      object.requireExisting(info)
      unsafe links.append(StoredLink(table: info.tableKey, key: object._key))
    }
    delete(links)
    for object in objects {
      // The key may be reused for another object later; this one stays deleted.
      unsafe object._generation = SessionState.noGeneration
      unsafe object._row = nil
    }
  }

  /// Deletes objects, which exist.
  func delete(_ keys: some Sequence<ObjectKey>, _ info: ClassInfo) {
    delete(keys.map { StoredLink(table: info.tableKey, key: $0) })
  }

  private func delete(_ objects: [StoredLink]) {
    if let denial = core.reading(try core.transaction?.delete(objects), else: nil) {
      refuse(denial)
    }
    core.didMutate()
  }

  /// Deletes all objects of the realm's classes. Rules are not evaluated: nothing stays.
  func deleteAll() {
    core.requireWriteForObjects()
    for info in core.classes.all {
      core.reading(try info.requireWritableTable().deleteAll(), else: ())
      core.didMutate()
    }
  }

  /// Traps because a rule does not allow a deletion.
  func refuse(_ denial: DeniedDeletion) -> Never {
    let info = core.classes[denial.object.table]
    let property = info?.schema.properties.first { info?.source(of: $0) == denial.source }
    throwRealmException(
      "Cannot delete an object of type '\(info?.schema.className ?? "")': its property "
        + "'\(property?.name ?? "")' is declared with onDelete: .deny, and is not empty.")
  }
}
