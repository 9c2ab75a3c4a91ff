// SPDX-License-Identifier: Apache-2.0

// Adding objects in the open transaction.
//
// Invariants:
// 1. All checks that are possible are made before anything is changed.
// 2. An object is attached to its row before its links are stored, so cycles of new objects end.

import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// Adds, creates and deletes objects in the open transaction of one realm.
///
/// It is a view of the realm, not an object of its own: adding counts no further reference.
struct ObjectWriter {
  let core: RealmCore

  /// The policy for linked objects that the realm does not have yet; set while objects are added.
  var policy: Realm.UpdatePolicy { core.creation.policy }

  // MARK: Adding

  /// The key of `object` in this realm; adds an unmanaged object, or a copy of it where links are
  /// copied.
  func managedKey(of object: ObjectBase) -> ObjectKey {
    if unsafe object._hot == nil {
      // Links to an object that is being copied become links to the copy.
      if !core.creation.copies.isEmpty,
        let copy = core.creation.copies[CopiedObject(object)]
      {
        return unsafe copy._key
      }
      let info = core.classes[type(of: object)]
      // Embedded objects come from types that wrap them, and are no others' objects.
      if core.creation.copiesLinks, info.schema.tableKind == .topLevel {
        let policy = info.schema.primaryKey == nil ? .error : policy
        return unsafe createObject(info, object, policy)._key
      }
      addObject(object, info, policy)
    }
    guard unsafe object._owner === core, let info = object._info else {
      throwRealmException(
        "Object is already managed by another Realm. Use create instead to copy it into this "
          + "Realm.")
    }
    object.requireExisting(info)
    return unsafe object._key
  }

  /// Makes an unmanaged object managed; `object` may be managed here already.
  func add(_ object: ObjectBase, _ policy: Realm.UpdatePolicy) {
    core.requireWriteForObjects()
    if let info = object._info {
      guard object._locate(info) else {
        throwRealmException("Adding a deleted or invalidated object to a Realm is not permitted")
      }
      if unsafe object._owner === core { return }
      throwRealmException(
        "Object is already managed by another Realm. Use create instead to copy it into this "
          + "Realm.")
    }
    let info = core.classes[type(of: object)]
    requirePrimaryKey(of: info, for: policy)
    withPolicy(policy, copyingLinks: false) { addObject(object, info, policy) }
  }

  private func addObject(_ object: ObjectBase, _ info: ClassInfo, _ policy: Realm.UpdatePolicy) {
    let primaryKey = info.primaryKey.map { unmanagedPrimaryKey(of: object, $0, info) }
    let (key, row, isFresh) = makeRow(info, primaryKey, policy, of: object)
    object._attach(info, key, row)
    if isFresh, info.isPlain { return }
    persistValues(of: object, info, policy, isFresh: isFresh)
  }

  /// Makes an unmanaged embedded object represent the row `key`, which gets its values.
  func replaceValues(ofEmbedded key: ObjectKey, _ info: ClassInfo, by object: ObjectBase) {
    object._attach(info, key, nil)
    object.requireExisting(info)
    persistValues(of: object, info, policy, isFresh: false)
  }

  private func persistValues(
    of object: ObjectBase, _ info: ClassInfo, _ policy: Realm.UpdatePolicy, isFresh: Bool
  ) {
    updating(isFresh: isFresh, policy) {
      let address = unsafe Unmanaged.passUnretained(object).toOpaque()
      let recorded = recordedTransaction
      let outer = recorded?.storesDefaults ?? false
      defer { recorded?.storesDefaults = outer }
      for step in info.steps where step.isPlainlyStored && !(isFresh && step.kind != .other) {
        if let recorded {
          recorded.storesDefaults =
            unsafe isFresh && !step.wrapperType.isAssigned(at: address + step.offset)
        }
        unsafe step.wrapperType.persist(
          from: address + step.offset, object, step.slot, isFresh: isFresh)
      }
    }
    if info.hasLegacyFields { object._adoptLegacyFields(info) }
  }

  /// The open transaction, if it is recorded.
  var recordedTransaction: WriteGroup? {
    guard let transaction = core.transaction, transaction.recorder != nil else { return nil }
    return transaction
  }

  private func unmanagedPrimaryKey(
    of object: ObjectBase, _ step: PropertyStep, _ info: ClassInfo
  ) -> TableValue {
    let address = unsafe Unmanaged.passUnretained(object).toOpaque() + step.offset
    if step.kind == .int,
      let number = unsafe _Wrapper(address: address, isFresh: false).value(Int.self)
    {
      return .int(Int64(number))
    }
    if let stored = unsafe step.wrapperType.storedUnmanaged(at: address) { return stored.value }
    let property = info.schema.properties[Int(step.slot.property)]
    return unsafe property.primaryKeyValue(
      property.wrapperType.unmanagedValue(at: address), in: info.schema)
  }

  // MARK: Rows

  /// The row for a new object, or of the one that it updates. A new row starts with the plain
  /// values of `object`, if there is one.
  func makeRow(
    _ info: ClassInfo, _ primaryKey: TableValue?, _ policy: Realm.UpdatePolicy,
    of object: ObjectBase? = nil
  ) -> (key: ObjectKey, row: Row, isNew: Bool) {
    assert(core.isInWrite, "`ObjectWriter` 1: a row is made outside of a transaction")
    if let made = core.required(try core.makeMigratedRow(info, primaryKey)) {
      core.didMutate()
      return made
    }
    let made = core.required(try makeRow(info, primaryKey, of: object))
    if made.isNew {
      if primaryKey != nil { core.required(try core.subscribedClasses?.require(info, in: core)) }
      core.didMutate()
    } else if policy == .error {
      throwRealmException(
        "Attempting to create an object of type '\(info.schema.className)' with an existing "
          + "primary key value '\(primaryKey?.primaryKeyText ?? "")'. Give 'update: .modified' "
          + "to change the object that is there.")
    }
    return made
  }

  @inline(__always)
  private func makeRow(
    _ info: ClassInfo, _ primaryKey: TableValue?, of object: ObjectBase?
  ) throws(StorageError) -> (key: ObjectKey, row: Row, isNew: Bool) {
    let table = try info.requireWritableTable()
    guard let object else { return try table.makeRow(primaryKey, beginningWith: nil) }
    let values = info.unmanagedValues
    do throws(StorageError) {
      return try values.making(object, table.makeRow(primaryKey, beginningWith: values))
    } catch {
      info.meet(error, writing: info.propertyBeyondLimit(of: object))
      throw error
    }
  }

  func requirePrimaryKey(of info: ClassInfo, for policy: Realm.UpdatePolicy) {
    if policy != .error, info.schema.primaryKey == nil {
      throwRealmException(
        "'\(info.schema.className)' does not have a primary key and can not be updated")
    }
  }

  /// Runs `body`, which adds objects (and those that they link to) or creates copies of them.
  func withPolicy<R>(
    _ policy: Realm.UpdatePolicy, copyingLinks copiesLinks: Bool, _ body: () -> R
  ) -> R {
    let before = (core.creation.policy, core.creation.copiesLinks)
    (core.creation.policy, core.creation.copiesLinks) = (policy, copiesLinks)
    defer { (core.creation.policy, core.creation.copiesLinks) = before }
    return body()
  }

  func updating(isFresh: Bool, _ policy: Realm.UpdatePolicy, _ body: () -> Void) {
    let before = core.skipsEqualValues
    core.skipsEqualValues = !isFresh && policy == .modified
    defer { core.skipsEqualValues = before }
    body()
  }
}

extension WritableTable {
  /// The existing row with that primary key, or else a new one.
  @inline(__always)
  fileprivate func makeRow(
    _ primaryKey: TableValue?, beginningWith values: UnmanagedValues?
  ) throws(StorageError) -> (key: ObjectKey, row: Row, isNew: Bool) {
    switch primaryKey {
    case .int(let number)?: return try findOrCreate(primaryKey: number, beginningWith: values)
    case .some(let value): return try findOrCreate(primaryKey: value, beginningWith: values)
    case nil:
      let (key, row) = try createObject(beginningWith: values)
      return (key, row, true)
    }
  }
}

extension ModelProperty {
  /// The stored value of a primary key; traps for values of other types.
  func primaryKeyValue(_ value: Any, in schema: ModelSchema) -> TableValue {
    guard let stored = wrapperType.storedScalar(value) else {
      if isNil(value) {
        throwRealmException(
          "Invalid null value for non-nullable primary key '\(schema.className).\(name)'.")
      }
      refuse(value, in: schema)
    }
    return stored.value
  }
}
