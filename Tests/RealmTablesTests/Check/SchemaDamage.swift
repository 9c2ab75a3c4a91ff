// SPDX-License-Identifier: Apache-2.0

// Damage to the arrays of tables and columns: checks 16 to 21.

import RealmStorage

@testable import RealmTables

extension FileImage {
  /// The place of a column's entry in the arrays by leaf index.
  func leafIndex(of column: String, in table: String) throws -> Int {
    try self.column(column, in: table).leafIndex
  }

  func column(_ name: String, in table: String) throws -> Column {
    guard let column = try schema(of: table).column(named: name) else {
      throw StorageError.corrupted("no column \(name)")
    }
    return column
  }

  func schema(of table: String) throws -> TableSchema {
    let top = try TableTop(at: space.node(at: tables).ref(at: index(of: table)), in: space)
    return try SchemaDecoder(top, name: table, in: space).decode()
  }
}

extension Damage {
  static let ofSchema: [Damage] = [
    Damage(16, "a table more than names", fixture: "todo") { image in
      try image.edit([]) { try IntegerNode.append(1, to: $0, image.allocator) }
    },
    Damage(16, "two tables of one name", fixture: "empty") { image in
      let names = try NameLeaf.names(of: image.space.node(at: image.tableNames))
      image.tableNames = try NameLeaf.make(
        Array(repeating: names[0], count: names.count), in: image.allocator)
    },
    Damage(16, "a free slot without counter", fixture: "empty") { image in
      try image.set(0, at: 1, path: [])
    },
    Damage(17, "a table key of another index", fixture: "todo") { image in
      let table = try image.index(of: "class_Todo")
      try image.set(Tagged.slot(table + 1), at: TableSlot.key, path: [table])
    },
    Damage(18, "a type more than keys", fixture: "todo") { image in
      let table = try image.index(of: "class_Todo")
      try image.edit([table, TableSlot.spec, SpecSlot.types]) {
        try IntegerNode.append(2, to: $0, image.allocator)
      }
    },
    Damage(18, "two columns of one name", fixture: "todo") { image in
      let path = [try image.index(of: "class_Todo"), TableSlot.spec, SpecSlot.names]
      let names = try NameLeaf.names(of: image.node(path))
      try image.edit(path) { _ in
        try NameLeaf.make([names[0], names[0]] + names.dropFirst(2), in: image.allocator)
      }
    },
    Damage(18, "a public column behind backlinks", fixture: "all-types") { image in
      let path = [try image.index(of: "class_Address"), TableSlot.spec, SpecSlot.names]
      let names = try NameLeaf.names(of: image.node(path))
      try image.edit(path) { _ in try NameLeaf.make(names + ["x"], in: image.allocator) }
    },
    Damage(19, "two columns of one key", fixture: "todo") { image in
      let path = [try image.index(of: "class_Todo"), TableSlot.spec, SpecSlot.keys]
      try image.set(try image.node(path).integer(at: 1), at: 2, path: path)
    },
    Damage(19, "attributes that disagree with the key", fixture: "todo") { image in
      let path = [try image.index(of: "class_Todo"), TableSlot.spec, SpecSlot.attributes]
      let old = try image.node(path).integer(at: 1)
      try image.set(old ^ Int64(ColumnAttributes.nullable.rawValue), at: 1, path: path)
    },
    Damage(19, "a type that does not exist", fixture: "todo") { image in
      let path = [try image.index(of: "class_Todo"), TableSlot.spec, SpecSlot.keys]
      try image.set(try image.node(path).integer(at: 1) | 0x3F << 16, at: 1, path: path)
    },
    Damage(20, "a short array of opposite tables", fixture: "all-types") { image in
      let table = try image.index(of: "class_Address")
      try image.edit([table, TableSlot.oppositeTables]) {
        try IntegerNode.truncate(to: 1, $0, image.allocator)
      }
    },
    Damage(20, "a primary key without index", fixture: "todo") { image in
      let table = try image.index(of: "class_Todo")
      let leaf = try image.leafIndex(of: "_id", in: "class_Todo")
      try image.set(0, at: leaf, path: [table, TableSlot.indexes])
    },
    Damage(20, "a primary key that is no column", fixture: "todo") { image in
      let table = try image.index(of: "class_Todo")
      try image.set(Tagged.slot(0x3_0000), at: TableSlot.primaryKey, path: [table])
    },
    Damage(21, "a link column without opposite", fixture: "all-types") { image in
      let table = try image.index(of: "class_Address")
      let leaf = try image.leafIndex(of: "geo", in: "class_Address")
      try image.set(
        ColumnKey.null.rawValue, at: leaf, path: [table, TableSlot.oppositeColumns])
    },
    Damage(21, "a backlink column that points elsewhere", fixture: "all-types") { image in
      let table = try image.index(of: "class_Address")
      let backlinks = try image.schema(of: "class_Address").backlinkColumns
      try image.set(
        backlinks[1].oppositeColumn?.rawValue ?? 0, at: backlinks[0].leafIndex,
        path: [table, TableSlot.oppositeColumns])
    },
  ]
}
