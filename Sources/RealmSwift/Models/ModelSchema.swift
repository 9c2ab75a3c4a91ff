// SPDX-License-Identifier: Apache-2.0

// The declaration of a model class, found by reflection once for each class.
//
// Invariants:
// 1. Properties are in declaration order, those of superclasses first.
// 2. Offsets are those of the wrappers in instances of the class, and less than its instance size.

import RealmSession
import RealmStorage
import RealmTables
@_spi(Reflection) import Swift

/// The stored properties of a model class.
final class ModelSchema: Sendable {
  let modelClass: ObjectBase.Type
  let className: String
  /// The kind of table that holds the objects.
  let tableKind: TableKind
  let properties: [ModelProperty]
  let primaryKey: ModelProperty?
  /// Whether some properties are fields without `@Persisted`.
  let hasLegacyFields: Bool
  /// The stored properties that a class without any `@Persisted` seems to mean as properties of the
  /// database, and that are none.
  let plainFields: [PlainField]
  /// Whether objects have no stored properties but those of the database.
  let holdsNothingElse: Bool
  private let indexByName: [String: Int]
  private let indexByOffset: [Int: Int]

  private convenience init(_ modelClass: ObjectBase.Type) {
    let properties = ModelSchema.reflect(modelClass)
    var plainFields: [PlainField] = []
    if properties.allSatisfy({ $0.wrapperType.isLegacy }) {
      let names = PlainField.namesKnownToObjectiveC(of: modelClass)
      plainFields = PlainField.all(of: modelClass, isKnown: names.contains)
    }
    self.init(
      modelClass, named: modelClass.className(),
      TableKind(modelClass), properties, plainFields)
  }

  init(
    _ modelClass: ObjectBase.Type, named className: String, _ kind: TableKind,
    _ properties: [ModelProperty], _ plainFields: [PlainField] = []
  ) {
    self.plainFields = plainFields
    self.modelClass = modelClass
    self.className = className
    tableKind = kind
    self.properties = properties
    assert(properties.map(\.index) == Array(properties.indices), "`ModelSchema` 1")
    assert(properties.allSatisfy { $0.offset >= 0 }, "`ModelSchema` 2: no place in an instance")
    primaryKey = properties.first { $0.isPrimaryKey }
    hasLegacyFields = properties.contains { $0.wrapperType.isLegacy }
    let baseCount = ModelSchema.baseFieldCount
    holdsNothingElse =
      !hasLegacyFields && modelClass != DynamicObject.self
      && ModelSchema.fieldCount(of: modelClass) == baseCount + properties.count
    indexByName = Dictionary(
      properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    indexByOffset = Dictionary(uniqueKeysWithValues: properties.map { ($0.offset, $0.index) })
  }

  /// Whether the objects are shown as `DynamicObject`.
  var isDynamic: Bool { modelClass == DynamicObject.self }

  /// The name of the class's table.
  var tableName: String { "class_" + className }

  /// One more than the number of the last 8-byte slot of an instance that holds a wrapper.
  var slotCount: Int { (properties.map { $0.offset >> 3 }.max() ?? -1) + 1 }

  func property(named name: String) -> ModelProperty? {
    indexByName[name].map { properties[$0] }
  }

  func property(atOffset offset: Int) -> ModelProperty? {
    indexByOffset[offset].map { properties[$0] }
  }

  private static let known = Locked<[ObjectIdentifier: ModelSchema]>([:])

  /// Forgets all schemas, so that they are read from their classes again.
  static func forgetAll() {
    known.withLock { $0.removeAll() }
    KnownKeyPaths.forgetAll()
  }

  /// The schema of `modelClass`; reflected upon at the first call.
  static func of(_ modelClass: ObjectBase.Type) -> ModelSchema {
    let identifier = ObjectIdentifier(modelClass)
    if let schema = known.withLock({ $0[identifier] }) { return schema }
    // Outside the lock, since it runs the class's own initializer.
    let schema = ModelSchema(modelClass)
    return known.withLock { known in
      if let first = known[identifier] { return first }
      known[identifier] = schema
      return schema
    }
  }

  /// The properties that `modelClass` declares: those with `@Persisted`, or, if there are none, the
  /// fields of types that are properties without it.
  static func reflect(_ modelClass: ObjectBase.Type) -> [ModelProperty] {
    let instance = modelClass.init()
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
    let columnNames = modelClass.propertiesMapping()
    var fields = declaredFields(of: modelClass)
    if fields.contains(where: { !$0.wrapperType.isLegacy }),
      unsafe !_RealmTesting.discoverLegacyGenerics
    {
      fields.removeAll { $0.wrapperType.isLegacy }
    }
    let indexed = Set(modelClass.indexedProperties())
    let primaryKey = modelClass.primaryKey()
    let properties = fields.enumerated().map { index, field in
      unsafe ModelProperty(
        index: index, name: field.name, columnName: columnNames[field.name] ?? field.name,
        offset: field.offset, wrapperType: field.wrapperType, instance: address,
        isIndexed: indexed.contains(field.name), isPrimaryKey: field.name == primaryKey)
    }
    withExtendedLifetime(instance) {}
    return properties
  }

  /// A field that may be a property.
  private struct Field {
    let name: String
    let offset: Int
    let wrapperType: any AnyPersisted.Type
  }

  /// The fields that are properties with `@Persisted`, or could be properties without.
  private static func declaredFields(of modelClass: ObjectBase.Type) -> [Field] {
    let ignored = Set(modelClass.ignoredProperties())
    var fields: [Field] = []
    // The first cast of a type searches the conformances of the whole process. Fields of ours are
    // no properties, and are not asked.
    var ownCount = baseFieldCount
    forEachField(of: modelClass) { name, offset, type in
      guard ownCount == 0 else {
        ownCount -= 1
        return
      }
      if let wrapperType = type as? any AnyPersisted.Type {
        // The storage of `@Persisted var name` is called `_name`.
        fields.append(
          Field(name: String(name.dropFirst()), offset: offset, wrapperType: wrapperType))
      } else if let generic = type as? any LegacyGeneric.Type, !ignored.contains(name) {
        fields.append(Field(name: name, offset: offset, wrapperType: generic.legacyWrapper))
      }
    }
    return fields
  }

  /// The names of lazy fields that would be properties without `@Persisted` if they were not lazy.
  static func lazyFields(of modelClass: ObjectBase.Type) -> [String] {
    let ignored = Set(modelClass.ignoredProperties())
    let prefix = "$__lazy_storage_$_"
    var names: [String] = []
    forEachField(of: modelClass) { name, _, type in
      guard name.hasPrefix(prefix), type is any LegacyLazy.Type else { return }
      let name = String(name.dropFirst(prefix.count))
      if !ignored.contains(name) { names.append(name) }
    }
    return names
  }

  /// The number of stored properties that all model classes inherit; they come first.
  private static let baseFieldCount = fieldCount(of: ObjectBase.self)

  /// The number of stored properties, those of superclasses included.
  private static func fieldCount(of modelClass: ObjectBase.Type) -> Int {
    var count = 0
    forEachField(of: modelClass) { _, _, _ in count += 1 }
    return count
  }

  private static func forEachField(
    of modelClass: ObjectBase.Type, _ body: (_ name: String, _ offset: Int, Any.Type) -> Void
  ) {
    let classType = _EachFieldOptions(rawValue: 1)
    let wasComplete = unsafe _forEachField(of: modelClass, options: classType) {
      name, offset, type, _ in
      unsafe body(String(cString: name), offset, type)
      return true
    }
    guard wasComplete else {
      throwRealmException(
        "The properties of '\(modelClass.className())' cannot be found. Build the module without "
          + "-disable-reflection-metadata.")
    }
  }
}

extension TableKind {
  /// The kind of table that holds the objects of a class.
  fileprivate init(_ modelClass: ObjectBase.Type) {
    self =
      switch modelClass {
      case is EmbeddedObject.Type: .embedded
      case is AsymmetricObject.Type: .asymmetric
      default: .topLevel
      }
  }
}
