// SPDX-License-Identifier: Apache-2.0

// Messages for the use of deleted objects. Speed does not matter here, as the caller traps.

import RealmSession
import RealmStorage
import RealmTables

extension ObjectBase {
  /// Traps if the object was deleted or its realm invalidated.
  final func requireExisting(_ info: ClassInfo) {
    if !_locate(info) { refuseDeleted(info) }
  }

  /// Makes the row current, and traps if the object was deleted or its realm invalidated.
  ///
  /// - Returns: False if the object was lost with damaged bytes, and reads go on after that.
  final func exists(in info: ClassInfo) -> Bool {
    if _locate(info) { return true }
    if !isLost(info) { refuseDeleted(info) }
    return false
  }

  /// Whether the object does not exist because of damage that the caller takes: it has no row.
  private func isLost(_ info: ClassInfo) -> Bool {
    let core = unsafe info.core
    guard core.isFrozen else {
      // An object that was deleted or invalidated is not excused by damage elsewhere.
      return unsafe _generation >= core.firstValidGeneration && core.hasMetDamage
    }
    guard core.takesDamage, !core.isFrozenAndInvalid else { return false }
    // Nothing is deleted in a version: what leads to an object that it does not have is damaged.
    unsafe info.meetMissing(_key)
    return true
  }

  /// Traps with the documented sentence, then which object it was and how it was deleted.
  @inline(never)
  final func refuseDeleted(_ info: ClassInfo) -> Never {
    let object = unsafe "the \(info.schema.className) with object key \(_key.rawValue)"
    let wasInvalidated =
      unsafe _generation != SessionState.noGeneration
      && _generation < info.core.firstValidGeneration
    let end =
      unsafe wasInvalidated
      ? "its Realm was invalidated" : info.core.deletion(of: _key, info) ?? "it does not exist"
    throwRealmException("Object has been deleted or invalidated. It was \(object); \(end).")
  }
}

extension RealmCore {
  /// The time at which an object of a class was deleted, if that is still known: the file keeps the
  /// changes of commits only as long as some realm is older than them.
  fileprivate func deletion(of key: ObjectKey, _ info: ClassInfo) -> String? {
    do throws(StorageError) {
      guard let group = shownTables else { return nil }
      let wasThere = try group.table(info.tableKey)?.row(of: key) != nil
      if wasThere { return isInWrite ? "the open write transaction deleted it" : nil }
      var version = group.version
      for changeset in try file.knownChangesets(through: group.snapshot).reversed() {
        let changes = try ChangeLogParser.changes(in: [changeset])
        if changes[info.tableKey]?.deleted.contains(key) == true {
          return "version \(version) deleted it"
        }
        version -= 1
      }
      return nil
    } catch {
      // The file has more serious damage, which the next reader reports.
      return nil
    }
  }
}
