// SPDX-License-Identifier: Apache-2.0

// An object of the app's data as the custom data of a user.
//
// Invariants:
// 1. A user has the data of one object or none: several with the same user are ambiguous, so none
//    of them counts.

#if Server
import RealmFormats
import RealmQuery
import RealmServerEngine
import RealmStorage
import RealmTables
import RealmText

extension CustomUserData {
  /// The object of a user as a document; nil if there is none.
  func document(
    of user: String, in objects: TableGroup
  ) throws(StorageError) -> BSONValue? {
    guard let table = try View.table(className, objects),
      let row = try row(of: user, in: table, objects)
    else { return nil }
    return try DocumentReader(objects, keepsNull: true).document(row, table.schema)
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
#endif
