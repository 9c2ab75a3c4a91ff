// SPDX-License-Identifier: Apache-2.0

// Reading and creating objects of classes that are known by name only.

import RealmSession
import RealmTables

extension Realm {
  /// All objects of the class called `typeName`.
  ///
  /// Traps if the realm's schema has no such class.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    core.checkIsolation()
    let isKnown = core.classes.dynamic[typeName] != nil || schema[typeName] == nil
    return Results(
      ResultsState(.table, core, isKnown ? core.dynamicInfo(named: typeName) : nil))
  }

  /// The object of the class called `typeName` with that primary key; nil if there is none.
  ///
  /// Traps if the realm's schema has no such class, if the class has no primary key, and for keys
  /// of another type.
  public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
    core.checkIsolation()
    let info = core.dynamicInfo(named: typeName)
    guard let property = info.schema.primaryKey else {
      throwRealmException("'\(typeName)' does not have a primary key defined")
    }
    guard let value = property.wrapperType.storedScalar(key) else {
      property.refuse(key, in: info.schema)
    }
    guard let found = info.searching(try info.findRow(primaryKey: value.value), else: nil) else {
      return nil
    }
    return info.makeObject(found.key, found.row) as? DynamicObject
  }

  /// Creates an object of the class called `typeName`, or updates the one with the same primary
  /// key.
  ///
  /// Traps outside of write transactions, if the realm's schema has no such class, and for classes
  /// of embedded objects, which are created with their parents.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class.
  ///   - value: The values of its properties: a dictionary by name, an array in the order of the
  ///     declarations, or another object. Missing ones get the defaults of the class.
  ///   - update: The policy if the realm has an object with the same primary key.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> DynamicObject {
    core.requireWriteForObjects()
    let info = core.dynamicInfo(named: typeName)
    if info.schema.tableKind == .embedded {
      throwRealmException("Embedded objects cannot be created directly")
    }
    return core.createDynamic(info, value, update)
  }
}

extension RealmCore {
  /// Creates an object, or updates the one with the same primary key.
  func createDynamic(
    _ info: ClassInfo, _ value: Any, _ policy: Realm.UpdatePolicy
  ) -> DynamicObject {
    guard let object = objects.create(info, value, policy) as? DynamicObject else {
      preconditionFailure("objects of dynamic classes are dynamic")
    }
    return object
  }
}
