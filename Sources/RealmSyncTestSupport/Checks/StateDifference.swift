// SPDX-License-Identifier: Apache-2.0

// The differences of two files in words, for tests whose digests differ.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The differences behind unequal digests of two files.
package enum StateDifference {
  /// The first differences in words; none if the contents are equal.
  package static func lines(
    from left: some TableReader, _ leftFile: FileIdentifier = .own,
    to right: some TableReader, _ rightFile: FileIdentifier = .own, limit: Int = 5
  ) throws(StorageError) -> [String] {
    var first = ContentText(source: left, file: leftFile)
    var second = ContentText(source: right, file: rightFile)
    let (here, there) = (try first.lines(), try second.lines())
    var found: [String] = []
    for key in Set(here.keys).union(there.keys).sorted() where here[key] != there[key] {
      found.append("\(key): \(here[key] ?? "missing") became \(there[key] ?? "missing")")
      if found.count == limit { break }
    }
    return found
  }
}

/// The content of all classes as text.
private struct ContentText<Source: TableReader> {
  let source: Source
  let file: FileIdentifier

  /// The text of each property, by class, primary key and name.
  mutating func lines() throws(StorageError) -> [String: String] {
    var lines: [String: String] = [:]
    for schema in try source.classSchemas() {
      let name = schema.displayName
      lines[name] = "\(schema.kind)"
      for column in schema.columns {
        let target = try column.targetTable.flatMap(className) ?? ""
        let flags = (column.isNullable, column.isPrimaryKey)
        lines["\(name).\(column.name)"] =
          "\(column.type) \(column.collection) \(flags) \(target)"
      }
      guard schema.kind != .embedded, let table = try source.readTable(schema.key) else {
        continue
      }
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          let row = cluster.row(at: index)
          let identity = try identity(of: cluster.key(at: index), row, schema)
          lines["\(name)[\(identity)]"] = "there"
          for column in schema.columns where !column.isPrimaryKey {
            lines["\(name)[\(identity)].\(column.name)"] = try text(row, column)
          }
        }
      }
    }
    return lines
  }

  private func className(_ table: TableKey) throws(StorageError) -> String? {
    try source.schema(of: table)?.className
  }

  private func identity(
    of object: ObjectKey, _ row: Row, _ schema: TableSchema
  ) throws(StorageError) -> String {
    if let column = schema.primaryKey { return "\(try row.value(of: column))" }
    let (high, low) = object.globalParts(ownIdent: file.rawValue)
    return "\(high)-\(low)"
  }

  private func text(_ row: Row, _ column: Column) throws(StorageError) -> String {
    let value = try row.value(of: column)
    guard column.collection == .set, case .list(let members) = value else {
      return try text(value, column)
    }
    var texts: [String] = []
    for member in members { texts.append(try text(member, column)) }
    return "set(\(texts.sorted().joined(separator: ", ")))"
  }

  private func text(_ value: TableValue, _ column: Column) throws(StorageError) -> String {
    switch value {
    case .link(let key): return try text(ofLinkTo: key, in: column.targetTable ?? .null)
    case .typedLink(let table, let key): return try text(ofLinkTo: key, in: table)
    case .list(let values):
      var texts: [String] = []
      for value in values { texts.append(try text(value, column)) }
      return "[\(texts.joined(separator: ", "))]"
    case .dictionary(let map):
      var texts: [String] = []
      for entry in map.entries { texts.append("\(entry.key): \(try text(entry.value, column))") }
      return "{\(texts.sorted().joined(separator: ", "))}"
    case .float(let number): return "float(\(number), \(number.bitPattern))"
    case .double(let number): return "double(\(number), \(number.bitPattern))"
    default: return "\(value)"
    }
  }

  private func text(ofLinkTo object: ObjectKey, in table: TableKey) throws(StorageError) -> String {
    guard let schema = try source.schema(of: table), !object.isTombstone,
      let row = try source.row(of: object, in: table)
    else { return "no link" }
    guard schema.kind == .embedded else {
      return "\(schema.className ?? "")[\(try identity(of: object, row, schema))]"
    }
    var texts: [String] = []
    for column in schema.columns { texts.append("\(column.name): \(try text(row, column))") }
    return "\(schema.className ?? "")(\(texts.sorted().joined(separator: ", ")))"
  }
}
