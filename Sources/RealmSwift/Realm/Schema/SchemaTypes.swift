// SPDX-License-Identifier: Apache-2.0

// The types of properties and of columns, in each other's terms and in words.

import RealmTables

extension _PropertyShape: CustomStringConvertible {
  /// The type as messages about schemas spell it.
  public var description: String {
    let element = linkedClass.map { $0.className() } ?? type.description
    switch (collection, type) {
    case (.list, _): return "array<\(element)>"
    case (.set, _): return "set<\(element)>"
    case (.map, _): return "dictionary<string, \(element)>"
    case (.none, .object): return "<\(element)>"
    case (.none, .linkingObjects): return "linking objects<\(element)>"
    case (.none, _): return type.description
    }
  }

  /// The type of the column; nil for backlinks, which have none.
  var columnType: ColumnType? {
    switch type {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .data: .binary
    case .date: .timestamp
    case .float: .float
    case .double: .double
    case .object: .link
    case .linkingObjects: nil
    case .any: .mixed
    case .objectId: .objectId
    case .decimal128: .decimal
    case .UUID: .uuid
    }
  }

  var collectionKind: CollectionKind {
    switch collection {
    case .none: .none
    case .list: .list
    case .set: .set
    case .map: .dictionary
    }
  }

  /// Whether the column is nullable: to-one links always are, lists of links and mixed values as
  /// the format wants them.
  var isColumnNullable: Bool {
    switch type {
    case .object: collection == .none || collection == .map
    case .any: true
    default: isOptional
    }
  }
}

extension Column {
  /// The type as messages about schemas spell it.
  func typeDescription(_ classNames: [TableKey: String]) -> String {
    let element = targetTable.flatMap { classNames[$0] } ?? propertyTypeName
    switch collection {
    case .list: return "array<\(element)>"
    case .set: return "set<\(element)>"
    case .dictionary: return "dictionary<string, \(element)>"
    case .none: return type == .link ? "<\(element)>" : propertyTypeName
    }
  }

  /// Whether properties of the type can be optional or not.
  var canBeRequired: Bool { type != .link && type != .mixed }

  private var propertyTypeName: String {
    switch type {
    case .int: PropertyType.int.description
    case .bool: PropertyType.bool.description
    case .string: PropertyType.string.description
    case .binary: PropertyType.data.description
    case .mixed: PropertyType.any.description
    case .timestamp: PropertyType.date.description
    case .float: PropertyType.float.description
    case .double: PropertyType.double.description
    case .decimal: PropertyType.decimal128.description
    case .link, .typedLink: PropertyType.object.description
    case .backlink: PropertyType.linkingObjects.description
    case .objectId: PropertyType.objectId.description
    case .uuid: PropertyType.UUID.description
    }
  }
}

extension ModelSchema {
  /// What kind of table holds the objects.
  var tableKind: TableKind { modelClass is EmbeddedObject.Type ? .embedded : .topLevel }
}

extension TableKind {
  var name: String {
    switch self {
    case .topLevel: "top-level"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}
