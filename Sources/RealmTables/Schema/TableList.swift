// SPDX-License-Identifier: Apache-2.0

// The tables of one version by key and by name (file format 1.4.1).

package import RealmStorage

/// Lookups in the two parallel nodes that list a file's tables.
package struct TableList {
  private let names: Node?
  private let tables: Node?
  private let space: NodeSpace

  package init(_ roots: VersionRoots, in space: NodeSpace) throws(StorageError) {
    self.space = space
    guard !roots.tables.isNull, !roots.tableNames.isNull else {
      names = nil
      tables = nil
      return
    }
    let names = try space.node(at: roots.tableNames)
    let tables = try space.node(at: roots.tables)
    guard names.count == tables.count, tables.header.hasRefs || tables.count == 0 else {
      throw .corrupted("there are \(names.count) table names for \(tables.count) tables")
    }
    guard !Self.isImpossible(tables) else {
      throw .corrupted("the list of tables claims \(tables.count) of them")
    }
    self.names = names
    self.tables = tables
  }

  /// Whether a list has slots without bits: each has a ref, or a counter with a bit that is set,
  /// and eight bytes would have millions of them.
  static func isImpossible(_ tables: Node) -> Bool {
    tables.count > 0 && tables.header.width == 0
  }

  /// The number of places for tables, free ones included.
  package var count: Int { tables?.count ?? 0 }

  /// The slot of table `index`: a ref, or a counter if the slot is free.
  package func slot(at index: Int) throws(StorageError) -> Int64 {
    guard let tables, index < tables.count else { return 0 }
    return try tables.integer(at: index)
  }

  /// The top array of the table at `index`; nil if the place is free.
  package func top(at index: Int) throws(StorageError) -> TableTop? {
    guard let ref = Ref(slot: try slot(at: index)) else { return nil }
    let top = try TableTop(at: ref, in: space)
    guard top.key.index == index else {
      throw .corrupted("the table at \(index) has key \(top.key.rawValue)")
    }
    return top
  }

  /// The top array of a table; nil if there is no such table, or it was removed.
  package func top(of key: TableKey) throws(StorageError) -> TableTop? {
    guard key != .null, let top = try top(at: key.index), top.key == key else { return nil }
    return top
  }

  /// The name of the table at `index`.
  package func name(at index: Int) throws(StorageError) -> String {
    guard let names else { return "" }
    return try NameLeaf.name(at: index, of: names)
  }

  /// The key of the table called `name`.
  package func key(ofTable name: String) throws(StorageError) -> TableKey? {
    guard let names, !name.isEmpty, let index = try NameLeaf.index(of: name, in: names) else {
      return nil
    }
    return try top(at: index)?.key
  }

  /// The keys of all tables in the order of the file.
  package func keys() throws(StorageError) -> [TableKey] {
    var keys: [TableKey] = []
    for index in 0..<count {
      if let top = try top(at: index) { keys.append(top.key) }
    }
    return keys
  }
}
