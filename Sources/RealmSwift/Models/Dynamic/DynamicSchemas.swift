// SPDX-License-Identifier: Apache-2.0

// The schemas of the classes of dynamic objects: the same names, and types that need no class of
// the program.
//
// Invariants:
// 1. `schemas` does not change after `init`. Properties refer back here without retaining it: each
//    user of a class of a realm holds the realm, which holds its `DynamicClasses`, which hold this.

import Foundation
import RealmTables

/// Classes by name.
final class DynamicSchemas: @unchecked Sendable {
  // Sendable: `DynamicSchemas` 1.
  private var schemas: [String: ModelSchema] = [:]

  /// The classes of the program, without their Swift types.
  init(of models: [ModelSchema]) {
    for model in models {
      let properties = model.properties.map { property in
        ModelProperty(
          index: property.index, name: property.name, columnName: property.columnName,
          shape: property.shape.dynamic, isIndexed: property.isIndexed,
          isPrimaryKey: property.isPrimaryKey, originProperty: property.originProperty, in: self)
      }
      schemas[model.className] = ModelSchema(
        DynamicObject.self, named: model.className, model.tableKind, properties)
    }
  }

  /// The classes of a file's tables.
  init(of tables: [TableSchema]) {
    let names = Dictionary(uniqueKeysWithValues: tables.map { ($0.key, $0.className ?? $0.name) })
    for table in tables {
      guard let name = table.className else { continue }
      let stored = table.columns.filter { $0.dynamicShape(names) != nil }
      let properties = stored.enumerated().compactMap { index, column in
        column.dynamicShape(names).map { shape in
          ModelProperty(
            index: index, name: column.name, columnName: column.name, shape: shape,
            isIndexed: column.isIndexed, isPrimaryKey: column.isPrimaryKey, originProperty: nil,
            in: self)
        }
      }
      schemas[name] = ModelSchema(DynamicObject.self, named: name, table.kind, properties)
    }
  }

  subscript(className: String) -> ModelSchema? { schemas[className] }

  /// All classes in the order of their names.
  var all: [ModelSchema] { schemas.values.sorted { $0.className < $1.className } }
}

extension _PropertyShape {
  /// The same shape with dynamic objects in place of those of a class.
  fileprivate var dynamic: _PropertyShape {
    guard let name = linkedClassName else { return self }
    var shape = self
    shape.linkedClass = DynamicObject.self
    shape.linkedName = name
    return shape
  }

  /// The wrapper type that reads and writes such properties of dynamic objects.
  var dynamicWrapperType: any AnyPersisted.Type {
    switch type {
    case .int: wrapper(of: Int.self)
    case .bool: wrapper(of: Bool.self)
    case .string: wrapper(of: String.self)
    case .data: wrapper(of: Data.self)
    case .date: wrapper(of: Date.self)
    case .float: wrapper(of: Float.self)
    case .double: wrapper(of: Double.self)
    case .objectId: wrapper(of: ObjectId.self)
    case .decimal128: wrapper(of: Decimal128.self)
    case .UUID: wrapper(of: UUID.self)
    case .linkingObjects: Persisted<LinkingObjects<DynamicObject>>.self
    case .any:
      switch collection {
      case .none: Persisted<AnyRealmValue>.self
      case .list: Persisted<List<AnyRealmValue>>.self
      case .set: Persisted<MutableSet<AnyRealmValue>>.self
      case .map: Persisted<Map<String, AnyRealmValue>>.self
      }
    case .object:
      switch collection {
      case .none: Persisted<DynamicObject?>.self
      case .list: Persisted<List<DynamicObject>>.self
      case .set: Persisted<MutableSet<DynamicObject>>.self
      case .map: Persisted<Map<String, DynamicObject?>>.self
      }
    }
  }

  private func wrapper<Value: _Scalar>(of value: Value.Type) -> any AnyPersisted.Type {
    switch (collection, isOptional) {
    case (.none, false): Persisted<Value>.self
    case (.none, true): Persisted<Value?>.self
    case (.list, false): Persisted<List<Value>>.self
    case (.list, true): Persisted<List<Value?>>.self
    case (.set, false): Persisted<MutableSet<Value>>.self
    case (.set, true): Persisted<MutableSet<Value?>>.self
    case (.map, false): Persisted<Map<String, Value>>.self
    case (.map, true): Persisted<Map<String, Value?>>.self
    }
  }
}

extension Column {
  /// The shape of the dynamic property that the column stores; nil for columns that no property can
  /// have.
  fileprivate func dynamicShape(_ classNames: [TableKey: String]) -> _PropertyShape? {
    guard let type = propertyType else { return nil }
    var shape = _PropertyShape(type)
    if let targetTable {
      guard let name = classNames[targetTable] else { return nil }
      shape.linkedClass = DynamicObject.self
      shape.linkedName = name
    }
    shape.isOptional = isNullable && type != .any
    switch collection {
    case .none: shape.collection = .none
    case .list: shape.collection = .list
    case .set: shape.collection = .set
    case .dictionary: shape.collection = .map
    }
    return shape
  }
}
