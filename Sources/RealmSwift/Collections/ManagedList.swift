// SPDX-License-Identifier: Apache-2.0

// A list property of a managed object: where it is, and how it is read and changed.

import RealmStorage
import RealmTables

/// The list in one property of one object.
final class ManagedList {
  let core: RealmCore
  /// The class of the object that has the property.
  let owner: ClassInfo
  let property: ModelProperty
  let column: Column
  let key: ObjectKey
  /// The class of the elements; nil if they are scalars.
  let info: ClassInfo?

  private let birth: UInt64
  private var cached: _CollectionContents?
  private var cachedGeneration: UInt64 = 0
  /// Holds the contents in place of `cached` if the realm is frozen.
  private let frozen: FrozenContents?

  convenience init(_ object: ObjectBase, _ owner: ClassInfo, _ slot: _ColumnSlot) {
    self.init(object._key, owner, slot)
  }

  init(_ key: ObjectKey, _ owner: ClassInfo, _ slot: _ColumnSlot) {
    core = owner.core
    self.owner = owner
    property = owner.schema.properties[Int(slot.property)]
    column = owner.column(Int(slot.property))
    self.key = key
    info = property.shape.linkedClass == nil ? nil : owner.linkedClass(slot)
    birth = owner.core.hot.pointee.generation
    frozen = owner.core.isFrozen ? FrozenContents() : nil
  }

  /// What the list is, in terms of the file.
  var definition: ObservedList {
    ObservedList(table: owner.tableKey, object: key, column: column)
  }

  /// The list that `definition` describes, in `core`; nil if its object does not exist there.
  static func local(_ definition: ObservedList, in core: RealmCore) -> ManagedList? {
    guard let owner = core.info(ofTable: definition.table),
      let index = owner.columns.firstIndex(where: { $0?.key == definition.column.key })
    else { return nil }
    let slot = owner.slot(owner.schema.properties[index])
    let list = ManagedList(definition.object, owner, slot)
    return list.isValid ? list : nil
  }

  /// Whether the object still exists.
  var isValid: Bool {
    guard birth >= core.firstValidGeneration, !core.isFrozenAndInvalid
    else { return false }
    do throws(StorageError) { return try owner.row(of: key) != nil } catch { stop(error) }
  }

  /// The elements as they are now.
  func contents() -> _CollectionContents {
    core.checkIsolation()
    if core.isTracking {
      core.delivery?.tracker.noteProperty(
        column.key, of: key, in: owner.tableKey, at: core.shownGroup)
    }
    if let frozen {
      do throws(StorageError) { return try frozen.contents(evaluate) } catch { stop(error) }
    }
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    do throws(StorageError) {
      let contents = try evaluate()
      cached = contents
      cachedGeneration = core.dataGeneration
      return contents
    } catch { stop(error) }
  }

  private func evaluate() throws(StorageError) -> _CollectionContents {
    guard birth >= core.firstValidGeneration, let row = try owner.row(of: key) else {
      throwRealmException(
        "List is no longer valid. Either the parent object was deleted or the containing Realm "
          + "has been invalidated or closed.")
    }
    return try _CollectionContents(.list(row.list(column)), core, info)
  }

  /// Checks that the list may be changed; what it holds before that.
  @discardableResult
  func requireWrite() -> _CollectionContents {
    core.checkIsolation()
    if core.isFrozen { throwRealmException(ObjectBase.frozenText) }
    core.requireWrite(orElse: "Cannot modify List outside of a write transaction.")
    return contents()
  }

  /// Changes the list; `requireWrite()` was called.
  func edit(_ body: (ListEditor) throws(StorageError) -> Void) {
    do throws(StorageError) {
      try body(owner.requireWritableTable().list(column, key))
    } catch { stop(error) }
    core.didMutate()
  }

  /// Whether both are the same list of the same realm.
  func isSame(as other: ManagedList) -> Bool {
    core === other.core && owner === other.owner && key == other.key
      && property.index == other.property.index
  }
}
