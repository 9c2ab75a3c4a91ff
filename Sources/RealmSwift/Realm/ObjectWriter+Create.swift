// SPDX-License-Identifier: Apache-2.0

// Creating objects from dictionaries, arrays and other objects.
//
// Invariants:
// 1. All checks that are possible are made before anything is changed.
// 2. An object that is created from another one is a copy, and that one does not change. So are
//    objects that are values of properties, unless the realm manages them. Untyped setters alone
//    let the objects that they are given become managed themselves.
// 3. An object that is met again while it is copied represents its copy, so cycles end.

import Foundation
import RealmTables

extension ObjectWriter {
  /// A value that `create` was given for a property.
  private enum Given {
    case scalar(Int, TableValue)
    case other(Int, Any)

    var index: Int {
      switch self {
      case .scalar(let index, _), .other(let index, _): index
      }
    }
  }

  /// Creates an object, or updates the one with the same primary key.
  func create(_ info: ClassInfo, _ value: Any, _ policy: Realm.UpdatePolicy) -> ObjectBase {
    core.requireWriteForObjects()
    requirePrimaryKey(of: info, for: policy)
    if policy != .error, let object = modelObject(value), unsafe object._owner === core,
      object._info === info
    {
      return object
    }
    return withPolicy(policy, copyingLinks: true) { createObject(info, value, policy) }
  }

  /// A new object with the values of `object`, and copies of its linked objects, none of which
  /// change; objects with equal primary keys have one copy.
  func copy(_ object: ObjectBase, _ info: ClassInfo) -> ObjectBase {
    withPolicy(.all, copyingLinks: true) { createObject(info, object, .all) }
  }

  func createObject(_ info: ClassInfo, _ value: Any, _ policy: Realm.UpdatePolicy) -> ObjectBase {
    let source = modelObject(value)
    let original = source.map { CopiedObject($0) }
    if let original, let copy = core.creation.copies[original] { return copy }
    let schema = info.schema
    if schema.isDynamic {
      // The defaults are those of the program's class.
      guard let typed = core.classes[info.tableKey] else { core.classes.refuse(schema.className) }
      return unsafe info.makeObject(createObject(typed, value, policy)._key)
    }
    return core.creation.walk.owned(by: source) { makeObject(info, value, original, policy) }
  }

  /// A new or changed object with the values in `value`, which is the object `original` if there is
  /// one.
  private func makeObject(
    _ info: ClassInfo, _ value: Any, _ original: CopiedObject?, _ policy: Realm.UpdatePolicy
  ) -> ObjectBase {
    let schema = info.schema
    let object = schema.modelClass.init()
    var primaryKey: TableValue?
    let given = given(info, value, &primaryKey)
    if primaryKey == nil, let property = schema.primaryKey {
      let value = unsafe property.wrapperType.unmanagedValue(at: object._wrapper(property))
      primaryKey = property.primaryKeyValue(value, in: schema)
    }
    let (key, row, isFresh) = makeRow(info, primaryKey, policy)
    object._attach(info, key, row)
    assert(
      original.map { core.creation.copies[$0] == nil } ?? true,
      "`ObjectWriter+Create` 3: an object was copied twice")
    if let original { core.creation.copies[original] = object }
    updating(isFresh: isFresh, policy) {
      if isFresh { persistDefaults(of: object, info, except: given) }
      set(given, of: object, info)
    }
    if let original { core.creation.copies[original] = nil }
    if info.hasLegacyFields { object._adoptLegacyFields(info) }
    return object
  }

  /// The values in `value` for the properties of a class, in their order, without the primary key.
  private func given(_ info: ClassInfo, _ value: Any, _ primaryKey: inout TableValue?) -> [Given] {
    let schema = info.schema
    let source = ValueSource(value, for: schema)
    var given: [Given] = []
    given.reserveCapacity(info.steps.count)
    for (index, step) in info.steps.enumerated() where !step.isBacklink {
      let property = schema.properties[index]
      guard let value = source.value(of: property) else { continue }
      if step.isPrimaryKey {
        primaryKey = step.stored(value) ?? property.primaryKeyValue(value, in: schema)
      } else if let stored = step.stored(value) {
        given.append(.scalar(index, stored))
      } else if step.isLink || step.wrapperType.accepts(value) {
        given.append(.other(index, value))
      } else {
        property.refuse(value, in: schema)
      }
    }
    return given
  }

  private func set(_ given: [Given], of object: ObjectBase, _ info: ClassInfo) {
    for value in given {
      switch value {
      case .scalar(let index, let stored): info.set(stored, property: index, of: object)
      case .other(let index, let value): set(value, info.schema.properties[index], of: object, info)
      }
    }
  }

  /// Writes the default values of the properties that no value is given for.
  private func persistDefaults(of object: ObjectBase, _ info: ClassInfo, except given: [Given]) {
    let address = unsafe Unmanaged.passUnretained(object).toOpaque()
    let recorded = recordedTransaction
    let outer = recorded?.storesDefaults ?? false
    recorded?.storesDefaults = true
    defer { recorded?.storesDefaults = outer }
    // Objects that the class makes for its properties belong to no other object: they are added.
    withPolicy(policy, copyingLinks: false) {
      var next = 0
      for (index, step) in info.steps.enumerated() where step.isPlainlyStored {
        if next < given.count, given[next].index == index {
          next += 1
        } else {
          unsafe step.wrapperType.persist(
            from: address + step.offset, object, step.slot, isFresh: true)
        }
      }
    }
  }

  /// Sets a property from an untyped value; those for links may be dictionaries or arrays.
  func set(_ value: Any, _ property: ModelProperty, of object: ObjectBase, _ info: ClassInfo) {
    // Types that are stored as objects create the objects themselves.
    let wrapsObject = property.wrapperType.valueType._wrapsObject
    if property.shape.type == .object, !wrapsObject,
      property.linkedSchema?.tableKind == .embedded
    {
      return setEmbedded(value, property, of: object, info)
    }
    let isLink = property.shape.linkedClass != nil && !wrapsObject
    let converted = isLink ? linkable(value, property, info) : detached(value, property)
    if !property.wrapperType.setManagedValue(converted, object, info.slot(property)) {
      property.refuse(value, in: info.schema)
    }
  }

  /// A collection as an array or a dictionary, since an unmanaged one would become that of the
  /// property. Other values as they are.
  private func detached(_ value: Any, _ property: ModelProperty) -> Any {
    guard type(of: value) is AnyClass else { return value }
    switch property.shape.collection {
    case .none: return value
    case .list, .set:
      guard let elements = enumerable(value).map({ Array(erasing: $0) }) else { return value }
      core.creation.walk.note(elementCount: elements.count)
      return elements
    case .map:
      guard let entries = UntypedMap(value)?.entries else { return value }
      core.creation.walk.note(elementCount: entries.count)
      return Dictionary(
        entries.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    }
  }

  // MARK: Links

  /// `value` with objects of this realm in place of dictionaries, arrays and foreign objects.
  private func linkable(_ value: Any, _ property: ModelProperty, _ info: ClassInfo) -> Any {
    let target = info.linkedClass(info.slot(property))
    switch property.shape.collection {
    case .none: return unwrapped(value).map { linkable($0, target) } ?? value
    case .map:
      return Dictionary(
        entries(value, property, info).map { key, value in
          (key, value.map { linkable($0, target) } as Any)
        }, uniquingKeysWith: { _, last in last })
    case .list, .set:
      return elements(value, property, info).map { linkable($0, target) }
    }
  }

  private func linkable(_ value: Any, _ target: ClassInfo) -> ObjectBase {
    if let object = modelObject(value), unsafe object._owner === core, let info = object._info,
      info.tableKey == target.tableKey
    {
      return unsafe info === target ? object : target.makeObject(object._key)
    }
    if let object = addable(value, target) {
      _ = managedKey(of: object)
      return object
    }
    // Objects without a primary key are always created again.
    return createObject(target, value, target.schema.primaryKey == nil ? .error : policy)
  }

  /// The object in a value, if it is to become managed itself: one of the class that belongs to no
  /// realm, given to an untyped setter.
  private func addable(_ value: Any, _ target: ClassInfo) -> ObjectBase? {
    guard !core.creation.copiesLinks, let object = modelObject(value), unsafe object._hot == nil,
      type(of: object) == target.schema.modelClass,
      core.creation.copies[CopiedObject(object)] == nil
    else { return nil }
    return object
  }

  /// The elements given for a list or set; none for nil.
  private func elements(_ value: Any, _ property: ModelProperty, _ info: ClassInfo) -> [Any] {
    if isNil(value) { return [] }
    guard let elements = enumerable(value) else { property.refuse(value, in: info.schema) }
    let given: [Any] = elements.map { element in
      guard let element = unwrapped(element) else { property.refuse(value, in: info.schema) }
      return element
    }
    core.creation.walk.note(elementCount: given.count)
    return given
  }

  /// The entries given for a map; none for nil.
  private func entries(
    _ value: Any, _ property: ModelProperty, _ info: ClassInfo
  ) -> [(key: String, value: Any?)] {
    guard let value = unwrapped(value) else { return [] }
    guard let map = UntypedMap(value) else { property.refuse(value, in: info.schema) }
    core.creation.walk.note(elementCount: map.entries.count)
    return map.entries.map { ($0.key, unwrapped($0.value)) }
  }

  // MARK: Embedded objects

  /// Sets a property that holds embedded objects. They are always copied; while `.modified` updates
  /// their parent, existing ones get the new values.
  private func setEmbedded(
    _ value: Any, _ property: ModelProperty, of object: ObjectBase, _ info: ClassInfo
  ) {
    let slot = info.slot(property)
    let target = info.linkedClass(slot)
    switch property.shape.collection {
    case .none:
      let present = core.skipsEqualValues ? info.link(object, slot) : nil
      let link = unwrapped(value).map { embedded($0, target, at: present) }
      if link == nil || link != present {
        info.set(link.map { .link($0) } ?? .null, property: property.index, of: object)
      }
    case .list, .set:
      let list = ManagedCollection(object, info, slot)
      let present = core.skipsEqualValues ? list.links() : []
      let links = elements(value, property, info).enumerated().map { index, element in
        embedded(element, target, at: index < present.count ? present[index] : nil)
      }
      // Removing an embedded object from its list deletes it, so those that stay are not touched.
      core.skipsEqualValues
        ? list.extend(present, to: links) : list.replaceAll(with: links.map { .link($0) })
    case .map:
      let map = ManagedCollection(object, info, slot)
      let present = core.skipsEqualValues ? map.linksByKey() : [:]
      let links = entries(value, property, info).map { entry in
        let key = checkedKey(entry.key, of: map.placeText)
        return (key, entry.value.map { embedded($0, target, at: present[key]) })
      }
      if !core.skipsEqualValues { map.clearEntries() }
      map.update(present, to: Dictionary(links, uniquingKeysWith: { _, last in last }))
    }
  }

  /// The key of an embedded object with the values of `value`: a new one, or `present`.
  private func embedded(_ value: Any, _ target: ClassInfo, at present: ObjectKey?) -> ObjectKey {
    if let object = addable(value, target) {
      guard let present else { return managedKey(of: object) }
      replaceValues(ofEmbedded: present, target, by: object)
      return present
    }
    guard let object = modelObject(value) else { return copied(value, target, at: present) }
    return core.creation.walk.following(
      object, { copied(value, target, at: present) },
      else: unsafe present ?? createObject(target, [String: Any](), .error)._key)
  }

  private func copied(_ value: Any, _ target: ClassInfo, at present: ObjectKey?) -> ObjectKey {
    guard let present else { return unsafe createObject(target, value, .error)._key }
    if let object = modelObject(value), unsafe object._owner === core,
      unsafe object._key == present,
      object._info?.tableKey == target.tableKey
    {
      return present
    }
    var primaryKey: TableValue?
    let given = given(target, value, &primaryKey)
    let object = target.makeObject(present)
    object.requireExisting(target)
    updating(isFresh: false, policy) { set(given, of: object, target) }
    return present
  }
}
