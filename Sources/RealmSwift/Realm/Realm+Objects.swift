// SPDX-License-Identifier: Apache-2.0

// Reading, adding, creating and deleting objects.

import RealmSession
import RealmTables

extension Realm {
  // MARK: Reading

  /// All objects of a class, or projections of all objects of their class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    core.checkIsolation()
    let rootClass = (type as? any ObjectWrapping.Type)?.rootClass
    guard let modelClass = rootClass ?? type as? ObjectBase.Type else {
      throwRealmException("Object type '\(type)' is not managed by the Realm.")
    }
    if core.lacksTable(of: modelClass) { return Results(ResultsState(.table, core, nil)) }
    return Results(ResultsState(.table, core, core.classes[modelClass]))
  }

  /// The object with that primary key, or nil if there is none.
  public func object<Element: Object, KeyType>(
    ofType type: Element.Type, forPrimaryKey key: KeyType
  ) -> Element? {
    core.checkIsolation()
    if core.lacksTable(of: type) { return nil }
    let info = core.classes[type]
    let found: (key: ObjectKey, row: Row)?
    if KeyType.self == Int.self, info.hasIntegerKey {
      // Saves the commonest keys a dynamic cast.
      let number = unsafe withUnsafeBytes(of: key) { unsafe $0.loadUnaligned(as: Int.self) }
      found = info.searching(try info.findRow(primaryKey: Int64(number)), else: nil)
    } else if KeyType.self == String.self, info.hasStringKey, let text = key as? String {
      found = info.searching(try info.findRow(primaryKey: text), else: nil)
    } else {
      guard let property = info.schema.primaryKey else {
        throwRealmException("'\(info.schema.className)' does not have a primary key defined")
      }
      guard let value = property.wrapperType.storedScalar(key) else {
        property.refuse(key, in: info.schema)
      }
      found = info.searching(try info.findRow(primaryKey: value.value), else: nil)
    }
    guard let found else { return nil }
    let object = type.init()
    object._attach(info, found.key, found.row)
    return object
  }

  // MARK: Writing

  /// Adds an object, and the objects that it links to. The object itself becomes managed.
  ///
  /// - Parameters:
  ///   - object: An object that no realm manages. One that this realm manages stays as it is.
  ///   - update: The policy if the realm has an object with the same primary key.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    core.objects.add(object, update)
  }

  /// Adds objects, and the objects that they link to.
  public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
  where S.Element: Object {
    for object in objects { core.objects.add(object, update) }
  }

  /// Creates an object, or updates the one with the same primary key.
  ///
  /// An object that is given as the value is copied, and so are the objects in it that this realm
  /// does not manage: unmanaged ones stay unmanaged. `add(_:update:)` makes them managed.
  ///
  /// - Parameters:
  ///   - type: The class of the object.
  ///   - value: The values of its properties: a dictionary by name, an array in the order of the
  ///     declarations, or another object. Missing ones get their defaults, or stay as they are in
  ///     an object that is updated.
  ///   - update: The policy if the realm has an object with the same primary key.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> T {
    core.requireWriteForObjects()
    return unsafe unsafeDowncast(core.objects.create(core.classes[type], value, update), to: T.self)
  }

  /// Creates an object from values that come from outside of the program, or updates the one with
  /// the same primary key.
  ///
  /// Works like `create(_:value:update:)`, which traps for values that do not fit; this method
  /// throws for them before anything is changed. Values without a property of their name are
  /// ignored, and the first ones of each class are logged. Raw values that are no case of an
  /// enumeration do not fit. Call it in a write transaction.
  ///
  /// ```swift
  /// let json = try JSONSerialization.jsonObject(with: body)
  /// try realm.write { _ = try realm.create(Person.self, validating: json) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The class of the object.
  ///   - value: A dictionary by name, an array in the order of the declarations, or an object of
  ///     the class; so are the values of properties that are objects.
  ///   - update: The policy if the realm has an object with the same primary key; with `.error` the
  ///     call throws.
  /// - Throws: `ObjectValueError`, with the key path of the first value that does not fit.
  /// - Complexity: O(number of values), before those are stored.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, validating value: Any, update: UpdatePolicy = .error
  ) throws -> T {
    core.requireWriteForObjects()
    let info = core.classes[type]
    try ObjectValueValidator.check(value, info, update)
    return unsafe unsafeDowncast(core.objects.create(info, value, update), to: T.self)
  }

  /// Deletes an object. Links to it become nil, and lists lose it. Its linked objects stay, unless
  /// a property declares otherwise (`DeleteRule`).
  public func delete(_ object: ObjectBase) { core.objects.delete([object]) }

  /// Deletes objects.
  ///
  /// Traps if one of them was deleted before, or belongs to another realm or none.
  public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
    // Copied first: the sequence may be live.
    core.objects.delete(Array(objects))
  }

  /// Deletes the objects in a list; the list is empty afterwards.
  public func delete<Element: ObjectBase>(_ objects: List<Element>) {
    if objects.managed == nil {
      core.objects.delete(Array(objects))
      objects.removeAll()
    } else {
      delete(objects._contents)
    }
  }

  /// Deletes the objects in a set; the set is empty afterwards.
  public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) {
    if objects.managed == nil {
      core.objects.delete(Array(objects))
      objects.removeAll()
    } else {
      delete(objects._contents)
    }
  }

  /// Deletes the objects that are values of a map; their keys stay, with nil.
  public func delete<Value: ObjectBase>(_ map: Map<String, Value?>) {
    if let managed = map.managed {
      delete(managed.contents())
    } else {
      core.objects.delete(map.values.compactMap(\.self))
      map.removeAll()
    }
  }

  /// Deletes the objects of results.
  public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
    delete(objects._contents)
  }

  /// Deletes all objects.
  public func deleteAll() { core.objects.deleteAll() }

  private func delete(_ contents: _CollectionContents) {
    core.requireWriteForObjects()
    guard contents.core === core, let info = contents.info else {
      throwRealmException("Can only delete an object from the Realm it belongs to.")
    }
    // A list may hold an object more than once.
    core.objects.delete(Set(contents.searching(try contents.keys(), else: [])).sorted(), info)
  }
}
