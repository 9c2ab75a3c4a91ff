// SPDX-License-Identifier: Apache-2.0

// Objects by their identities on all devices.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables
import RealmText

extension Column {
  /// Whether subscriptions can ask for the property: scalars, and lists and sets of them.
  package var isQueryable: Bool { type.isQueryable && collection != .dictionary }
}

extension ColumnType {
  /// Whether subscriptions can ask for a property of the type.
  var isQueryable: Bool {
    switch self {
    case .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid:
      true
    case .mixed, .link, .typedLink, .backlink: false
    }
  }
}

extension Row {
  /// The values of queryable properties, with their names.
  ///
  /// - Parameter names: Some of the properties; nil for all. Collections may be long.
  package func queryableValues(
    _ schema: TableSchema, in source: some TableReader, of names: Set<String>? = nil
  ) throws(StorageError) -> [(name: String, value: TableValue)] {
    var values: [(name: String, value: TableValue)] = []
    for column in schema.columns where names?.contains(column.name) ?? true {
      if column.isQueryable {
        values.append((column.name, try value(of: column)))
      } else if let points = try source.points(of: column) {
        values.append((column.name, try source.point(points, at: column, of: self)))
      }
    }
    return values
  }
}

extension Table {
  /// The key of the object with an identity; nil if there is none.
  package func key(of identity: ObjectIdentity.Key) throws(StorageError) -> ObjectKey? {
    switch identity {
    case .value(let value):
      guard let column = schema.primaryKey,
        value.isNull ? column.isNullable : value.type == column.type
      else { return nil }
      return try findRow(primaryKey: value)?.key
    case .global(let parts):
      guard schema.primaryKey == nil,
        let key = ObjectKey(
          globalHigh: parts.high, low: parts.low, ownIdent: FileIdentifier.server.rawValue)
      else { return nil }
      return try row(of: key) == nil ? nil : key
    }
  }

  /// The object with an identity; nil if there is none.
  package func row(of identity: ObjectIdentity.Key) throws(StorageError) -> Row? {
    guard let key = try key(of: identity) else { return nil }
    return try row(of: key)
  }
}

extension Changeset {
  /// The identity in an instruction.
  package func identity(of object: ObjectReference) -> ObjectIdentity {
    let key: ObjectIdentity.Key =
      switch object.key {
      case .null: .value(.null)
      case .int(let number): .value(.int(number))
      case .string(let string): .value(.string(text(of: string)))
      case .globalKey(let key): .global(key)
      case .objectID(let id): .value(.objectId(Bytes12(high: id.high, low: id.low)))
      case .uuid(let id): .value(.uuid(Bytes16(high: id.high, low: id.low)))
      }
    return ObjectIdentity(className: text(of: object.table), key: key)
  }

  /// Names an object as an instruction does.
  package mutating func reference(to object: ObjectIdentity) -> ObjectReference {
    object.reference { intern($0) }
  }
}

extension ChangesetEncoder {
  /// Names an object as an instruction does.
  mutating func reference(to object: ObjectIdentity) -> ObjectReference {
    object.reference { intern($0) }
  }
}

extension ObjectIdentity {
  fileprivate func reference(_ intern: (String) -> InternedString) -> ObjectReference {
    let table = intern(className)
    let key: PrimaryKey =
      switch key {
      case .global(let key): .globalKey(key)
      case .value(.int(let number)): .int(number)
      case .value(.string(let text)): .string(intern(text))
      case .value(.objectId(let id)): .objectID(ObjectIDBits(high: id.high, low: id.low))
      case .value(.uuid(let id)): .uuid(UUIDBits(high: id.high, low: id.low))
      case .value: .null
      }
    return ObjectReference(table: table, key: key)
  }
}

extension Table {
  /// The identity of an object; nil if there is no such object.
  package func identity(of key: ObjectKey) throws(StorageError) -> ObjectIdentity? {
    let name = schema.className ?? ""
    guard let row = try row(of: key) else { return nil }
    guard let column = schema.primaryKey else {
      let (high, low) = key.globalParts(ownIdent: FileIdentifier.server.rawValue)
      return ObjectIdentity(className: name, key: .global(GlobalKey(high: high, low: low)))
    }
    return ObjectIdentity(className: name, key: .value(try row.value(of: column)))
  }
}
