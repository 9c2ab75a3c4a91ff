// SPDX-License-Identifier: Apache-2.0

// An object of the app's data as the custom data of a user.
//
// Invariants:
// 1. A user has the data of one object or none: several with the same user are ambiguous, so none
//    of them counts.

import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

extension CustomUserData {
  /// The object of a user as a document; nil if there is none.
  func document(
    of user: String, in objects: TableGroup
  ) throws(StorageError) -> BSONValue? {
    guard let table = try View.table(className, objects),
      let row = try row(of: user, in: table, objects)
    else { return nil }
    return try DocumentReader(objects).document(row, table.schema, depth: 0)
  }

  private func row(
    of user: String, in table: Table, _ objects: TableGroup
  ) throws(StorageError) -> Row? {
    guard let column = table.schema.column(named: userField) else { return nil }
    let id = ObjectIDBits(text: user)
    let value: BSONValue
    switch (column.type, column.collection) {
    case (.string, .none): value = .string(user)
    case (.objectId, .none):
      guard let id else { return nil }
      value = .objectID(id)
    default: return nil
    }
    if column.isPrimaryKey {
      let key = id.map { TableValue.objectId(Bytes12(high: $0.high, low: $0.low)) }
      return try table.findRow(
        primaryKey: column.type == .string ? .string(user) : key ?? .null)?.row
    }
    let query = EffectiveQuery(
      [className: "TRUEPREDICATE"],
      filters: [className: .comparison(field: userField, .equal, value)])
    guard case .success(let view) = try View.bind(query, to: objects) else { return nil }
    let keys = try view.keys(ofClass: className, in: objects)
    return keys.count == 1 ? try table.row(of: keys[0]) : nil
  }

  /// The user named by an object; nil for none.
  func user(of object: ObjectIdentity.Key, in table: Table) throws(StorageError) -> String? {
    guard let column = table.schema.column(named: userField), column.collection == .none,
      let row = try table.row(of: object)
    else { return nil }
    return Self.user(try row.value(of: column))
  }

  /// The user of a property's value.
  static func user(_ value: TableValue) -> String? {
    switch value {
    case .string(let id): id
    case .objectId(let id): ObjectIDBits(high: id.high, low: id.low).text
    default: nil
    }
  }
}

/// Reads objects as documents.
private struct DocumentReader {
  /// Embedded objects below are null.
  private static let depthMax = 16

  private let objects: TableGroup

  init(_ objects: TableGroup) { self.objects = objects }

  func document(
    _ row: Row, _ schema: TableSchema, depth: Int
  ) throws(StorageError) -> BSONValue {
    var elements: [BSONElement] = []
    for column in schema.columns {
      let value = try value(row.value(of: column), column, depth: depth)
      elements.append(BSONElement(column.name, value))
    }
    return .document(elements)
  }

  private func value(
    _ value: TableValue, _ column: Column, depth: Int
  ) throws(StorageError) -> BSONValue {
    switch value {
    case .null: return .null
    case .int(let number): return .int64(number)
    case .bool(let truth): return .bool(truth)
    case .float(let number): return .double(Double(number))
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .binary(let bytes): return .binary(subtype: 0, bytes: bytes)
    case .timestamp(let time):
      let (milliseconds, isTooLarge) = time.seconds.multipliedReportingOverflow(by: 1_000)
      guard !isTooLarge else { return .null }
      return .date(unixMilliseconds: milliseconds &+ Int64(time.nanoseconds / 1_000_000))
    case .decimal: return ValueText.file.string(value).map { .decimal($0) } ?? .null
    case .objectId(let id): return .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): return .uuid(UUIDBits(high: id.high, low: id.low))
    case .link(let key):
      guard let target = column.targetTable else { return .null }
      return try link(to: key, in: target, depth: depth)
    case .typedLink(let target, let key): return try link(to: key, in: target, depth: depth)
    case .list(let values):
      var elements: [BSONValue] = []
      for value in values { elements.append(try self.value(value, column, depth: depth)) }
      return .array(elements)
    case .dictionary(let dictionary):
      var elements: [BSONElement] = []
      for entry in dictionary.entries {
        elements.append(BSONElement(entry.key, try self.value(entry.value, column, depth: depth)))
      }
      return .document(elements)
    }
  }

  /// An embedded object as a document, and another one as its primary key.
  private func link(
    to key: ObjectKey, in target: TableKey, depth: Int
  ) throws(StorageError) -> BSONValue {
    guard depth < Self.depthMax, let table = try objects.table(target),
      let row = try table.row(of: key)
    else { return .null }
    if table.schema.kind == .embedded {
      return try document(row, table.schema, depth: depth + 1)
    }
    guard let column = table.schema.primaryKey else { return .null }
    return try value(row.value(of: column), column, depth: depth)
  }
}
