// SPDX-License-Identifier: Apache-2.0

// What the program declares about a model class, found by reflection once for each class.
//
// Invariants:
// 1. Properties stand in declaration order, those of superclasses first.
// 2. Offsets are those of the wrappers in instances of the class, and lie below its instance size.

import RealmStorage
import RealmTables
@_spi(Reflection) import Swift

/// One stored property of a model class.
final class ModelProperty: Sendable {
  /// Its place in `ModelSchema.properties`.
  let index: Int
  let name: String
  /// The name of its column.
  let columnName: String
  /// Where its wrapper is in instances of the class.
  let offset: Int
  let wrapperType: any AnyPersisted.Type
  let shape: _PropertyShape
  let isIndexed: Bool
  let isFullText: Bool
  let isPrimaryKey: Bool
  /// The property of the linked class that a backlink property is the other end of.
  let originProperty: String?
  /// Where the schema of a linked class is found, if this is a property of dynamic objects.
  private unowned let dynamicSchemas: DynamicSchemas?

  /// The property that the wrapper of type `wrapperType` at `offset` of an instance declares.
  init(
    index: Int, name: String, columnName: String, offset: Int,
    wrapperType: any AnyPersisted.Type, instance: UnsafeRawPointer
  ) {
    self.index = index
    self.name = name
    self.columnName = columnName
    self.offset = offset
    self.wrapperType = wrapperType
    shape = wrapperType.valueType._shape
    let flags = wrapperType.flags(at: instance + offset)
    isIndexed = flags.contains(.indexed)
    isFullText = flags.contains(.fullText)
    isPrimaryKey = flags.contains(.primaryKey)
    originProperty = wrapperType.originProperty(at: instance + offset)
    dynamicSchemas = nil
  }

  /// A property of dynamic objects, which have no wrappers: `offset` only gives it a slot.
  init(
    index: Int, name: String, columnName: String, shape: _PropertyShape, isIndexed: Bool,
    isPrimaryKey: Bool, originProperty: String?, in dynamicSchemas: DynamicSchemas
  ) {
    self.index = index
    self.name = name
    self.columnName = columnName
    offset = index << 3
    wrapperType = shape.dynamicWrapperType
    self.shape = shape
    self.isIndexed = isIndexed
    isFullText = false
    self.isPrimaryKey = isPrimaryKey
    self.originProperty = originProperty
    self.dynamicSchemas = dynamicSchemas
  }

  /// The kind of index that the property declares; nil if none.
  var indexKind: IndexKind? { isFullText ? .fullText : isIndexed ? .general : nil }

  /// The schema of the class that the property links to.
  var linkedSchema: ModelSchema? {
    if let dynamicSchemas { return shape.linkedName.flatMap { dynamicSchemas[$0] } }
    return shape.linkedClass.map { ModelSchema.of($0) }
  }
}

/// The stored properties of a model class.
final class ModelSchema: Sendable {
  let modelClass: ObjectBase.Type
  let className: String
  /// What kind of table holds the objects.
  let tableKind: TableKind
  let properties: [ModelProperty]
  let primaryKey: ModelProperty?
  private let indexByName: [String: Int]
  private let indexByOffset: [Int: Int]

  private convenience init(_ modelClass: ObjectBase.Type) {
    self.init(
      modelClass, named: modelClass.className(),
      modelClass is EmbeddedObject.Type ? .embedded : .topLevel, ModelSchema.reflect(modelClass))
  }

  init(
    _ modelClass: ObjectBase.Type, named className: String, _ kind: TableKind,
    _ properties: [ModelProperty]
  ) {
    self.modelClass = modelClass
    self.className = className
    tableKind = kind
    self.properties = properties
    primaryKey = properties.first { $0.isPrimaryKey }
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

  private static let known = Guarded<[ObjectIdentifier: ModelSchema]>([:])

  /// Forgets all schemas: they are read from their classes again.
  static func forgetAll() { known.withLock { $0.removeAll() } }

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

  private static func reflect(_ modelClass: ObjectBase.Type) -> [ModelProperty] {
    let instance = modelClass.init()
    let address = UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
    let columnNames = modelClass.propertiesMapping()
    var properties: [ModelProperty] = []
    let classType = _EachFieldOptions(rawValue: 1)
    let wasComplete = _forEachField(of: modelClass, options: classType) { name, offset, type, _ in
      guard let wrapperType = type as? any AnyPersisted.Type else {
        return true
      }
      // The storage of `@Persisted var name` is called `_name`.
      let label = String(String(cString: name).dropFirst())
      properties.append(
        ModelProperty(
          index: properties.count, name: label, columnName: columnNames[label] ?? label,
          offset: offset, wrapperType: wrapperType, instance: address))
      return true
    }
    withExtendedLifetime(instance) {}
    guard wasComplete else {
      throwRealmException(
        "The properties of '\(modelClass.className())' cannot be found. Build the module without "
          + "-disable-reflection-metadata.")
    }
    return properties
  }
}
