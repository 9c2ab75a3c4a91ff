// SPDX-License-Identifier: Apache-2.0

// Converts between the types of properties and of columns, and spells them in messages.

import RealmTables

extension _PropertyShape: CustomStringConvertible {
  /// The type as messages about schemas spell it.
  public var description: String {
    let element = linkedClassName ?? type.description
    switch (collection, type) {
    case (.list, _): return "array<\(element)>"
    case (.set, _): return "set<\(element)>"
    case (.map, _): return "dictionary<string, \(element)>"
    case (.none, .object): return "<\(element)>"
    case (.none, .linkingObjects): return "linking objects<\(element)>"
    case (.none, _): return type.description
    }
  }

  /// The name of the class that a link, or a backlink, leads to.
  var linkedClassName: String? { linkedName ?? linkedClass.map { $0.className() } }

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
  /// the format requires.
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

  /// The type of a property, or of the elements of a collection, that the column stores; nil for
  /// columns that no property can have.
  var propertyType: PropertyType? {
    switch type {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .data
    case .mixed: .any
    case .timestamp: .date
    case .float: .float
    case .double: .double
    case .decimal: .decimal128
    case .link: .object
    case .typedLink, .backlink: nil
    case .objectId: .objectId
    case .uuid: .UUID
    }
  }

  private var propertyTypeName: String {
    propertyType?.description ?? (type == .backlink ? "linking objects" : "object")
  }
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
