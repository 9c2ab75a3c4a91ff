// SPDX-License-Identifier: Apache-2.0

// The names of tables and columns of an exported database.
//
// SQLite does not tell "Dog" from "dog", and the table of a collection could be called as a class.
// So each name is taken once; an import finds the same names, because it knows the same classes in
// the same order.

#if Tools
import RealmDeclarations
import RealmTables

/// Where the classes of a file are in a database of SQLite.
struct SQLiteLayout {
  /// The table of a class.
  struct Table {
    let name: String
    /// The column with the object keys; nil if the primary key names the objects.
    let keyColumn: String?
    /// The column of each property without a collection, in their order.
    var columns: [(property: DeclaredSchema.Property, name: String)] = []
    var collections: [(property: DeclaredSchema.Property, table: String)] = []
  }

  /// The table of the classes' declaration.
  static let schemaTable = "realm_schema"

  /// The cell of a negative zero: no number, as SQLite would make a plain zero of it.
  static let negativeZero = "-zero"

  let schema: DeclaredSchema
  private(set) var tables: [String: Table] = [:]

  init(_ schema: DeclaredSchema) {
    self.schema = schema
    var names = Names(taken: [Self.schemaTable])
    let whole = schema.classes.filter { $0.kind != .embedded }
    // Classes come first, so they have their own names.
    let tableNames = whole.map { names.take($0.name) }
    for (type, name) in zip(whole, tableNames) {
      var columns = Names(taken: [])
      let hasKey = Self.hasKeyColumn(type)
      var table = Table(name: name, keyColumn: hasKey ? columns.take("_key") : nil)
      for property in type.properties {
        if property.collection == .none {
          table.columns.append((property, columns.take(property.name)))
        } else {
          table.collections.append((property, names.take("\(name)_\(property.name)")))
        }
      }
      tables[type.name] = table
    }
  }

  /// Whether objects are named by their object keys: without a primary key, or with a nullable one,
  /// as null names no row in SQLite.
  private static func hasKeyColumn(_ type: DeclaredSchema.Class) -> Bool {
    guard let key = type.primaryKey else { return true }
    return type.properties.first { $0.name == key }?.isNullable ?? true
  }

  func keyColumn(of className: String) -> String? {
    guard let table = tables[className] else { return nil }
    return table.keyColumn
      ?? table.columns.first { $0.property.name == schema[className]?.primaryKey }?.name
  }

  /// Names different in more than their case.
  private struct Names {
    var taken: Set<String>

    mutating func take(_ name: String) -> String {
      var result = name
      var number = 2
      // SQLite keeps names with this beginning for itself.
      if result.lowercased().hasPrefix("sqlite_") { result = "_" + result }
      let base = result
      while !taken.insert(result.lowercased()).inserted {
        result = "\(base)_\(number)"
        number += 1
      }
      return result
    }
  }
}
#endif
