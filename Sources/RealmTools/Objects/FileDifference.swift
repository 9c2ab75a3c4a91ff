// SPDX-License-Identifier: Apache-2.0

// Comparing two files: `realm diff`.

#if Tools
import RealmDeclarations
package import RealmFormats
import RealmQuery
import RealmStorage
package import RealmTables

/// Compares the classes and objects of two versions.
///
/// Objects are the same if they have the same primary key; in classes without one, if they have the
/// same object key.
package struct FileDifference {
  /// One difference.
  package enum Change: Sendable {
    case classOnly(String, isFirst: Bool)
    case kind(String, old: TableKind, new: TableKind)
    /// Properties of one of the files, or with other types.
    case schema(String, only: [String], isFirst: Bool)
    case object(String, id: JSONValue, isFirst: Bool)
    case values(String, id: JSONValue, [(property: String, old: JSONValue, new: JSONValue)])
  }

  private let first: Side
  private let second: Side

  private struct Side {
    let group: TableGroup
    let classes: StoredSchema
    let json: ObjectJSON

    init(_ group: TableGroup) throws(StorageError) {
      self.group = group
      classes = try StoredSchema(group)
      json = ObjectJSON(classes)
    }
  }

  package init(_ first: TableGroup, _ second: TableGroup) throws {
    self.first = try Side(first)
    self.second = try Side(second)
  }

  /// Calls `body` with each difference.
  ///
  /// - Returns: How many there are.
  package func forEach(
    progress: ProgressHandler = { _, _ in }, _ body: (Change) throws -> Void
  ) throws -> Int {
    var count = 0
    func report(_ change: Change) throws {
      count += 1
      try body(change)
    }
    for schema in second.classes.all where first.classes[schema.displayName] == nil {
      try report(.classOnly(schema.displayName, isFirst: false))
    }
    for schema in first.classes.all {
      guard let other = second.classes[schema.displayName] else {
        try report(.classOnly(schema.displayName, isFirst: true))
        continue
      }
      try compare(schema, other, report)
      guard schema.kind != .embedded else { continue }
      try compareObjects(schema, other, progress, report)
    }
    return count
  }

  private func compare(
    _ left: TableSchema, _ right: TableSchema, _ report: (Change) throws -> Void
  ) throws {
    if left.kind != right.kind {
      try report(.kind(left.displayName, old: left.kind, new: right.kind))
    }
    let (old, new) = (Self.properties(left, first.classes), Self.properties(right, second.classes))
    let onlyOld = old.filter { !new.contains($0) }
    let onlyNew = new.filter { !old.contains($0) }
    if !onlyOld.isEmpty {
      try report(.schema(left.displayName, only: onlyOld, isFirst: true))
    }
    if !onlyNew.isEmpty {
      try report(.schema(left.displayName, only: onlyNew, isFirst: false))
    }
  }

  /// The properties of a class with their definitions.
  private static func properties(_ schema: TableSchema, _ classes: StoredSchema) -> [String] {
    schema.columns.map { column in
      let type = classes.target(of: column)?.displayName ?? SchemaJSON.typeName(column.type)
      return "\(column.name): "
        + (column.collection == .none ? "" : "\(column.collection) of ") + type
        + (column.isNullable && column.type != .mixed && column.type != .link ? "?" : "")
        + (column.isPrimaryKey ? ", primary key" : "")
        + (column.isFullText ? ", full text" : column.isIndexed ? ", indexed" : "")
    }
  }

  private func compareObjects(
    _ left: TableSchema, _ right: TableSchema, _ progress: ProgressHandler,
    _ report: (Change) throws -> Void
  ) throws {
    guard let old = try first.group.table(left.key), let new = try second.group.table(right.key)
    else { return }
    let name = left.displayName
    // With primary keys of different kinds, no object has a partner.
    let byKey =
      left.primaryKey?.type == right.primaryKey?.type
        && left.primaryKey?.name == right.primaryKey?.name ? left.primaryKey : nil
    let total = try old.objectCount() + new.objectCount()
    var done = 0
    try Self.forEach(old) { key, row in
      done += 1
      progress(done, total)
      let id = try ObjectJSON.reference(to: key, row, left)
      let found: Row? =
        if let byKey {
          try new.findRow(primaryKey: try row.value(of: byKey))?.row
        } else {
          try new.row(of: key)
        }
      guard let found else { return try report(.object(name, id: id, isFirst: true)) }
      let before = try first.json.members(of: row, left)
      let after = try second.json.members(of: found, right)
      let values = Dictionary(after.map { ($0.key, $0.value) }) { first, _ in first }
      let changes = before.compactMap { member in
        values[member.key].flatMap { value in
          Self.isSame(member, value, left)
            ? nil : (property: member.key, old: member.value, new: value)
        }
      }
      if !changes.isEmpty { try report(.values(name, id: id, changes)) }
    }
    try Self.forEach(new) { key, row in
      done += 1
      progress(done, total)
      let hasPartner =
        if let column = right.primaryKey, byKey != nil {
          try old.find(primaryKey: try row.value(of: column)) != nil
        } else {
          try old.row(of: key) != nil
        }
      if !hasPartner {
        try report(
          .object(name, id: try ObjectJSON.reference(to: key, row, right), isFirst: false))
      }
    }
  }

  /// Whether values are the same; elements of a set in any order.
  private static func isSame(_ old: JSONMember, _ new: JSONValue, _ schema: TableSchema) -> Bool {
    if isIdentical(old.value, new) { return true }
    guard schema.column(named: old.key)?.collection == .set, case .array(let before) = old.value,
      case .array(let after) = new, before.count == after.count
    else { return false }
    return before.map { JSONWriter.text($0) }.sorted() == after.map { JSONWriter.text($0) }.sorted()
  }

  /// Whether values are equal, and zeros of the same sign.
  private static func isIdentical(_ old: JSONValue, _ new: JSONValue) -> Bool {
    switch (old, new) {
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy(isIdentical)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.key == $1.key && isIdentical($0.value, $1.value) }
    default: old == new
    }
  }

  private static func forEach(_ table: Table, _ body: (ObjectKey, Row) throws -> Void) throws {
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        try body(cluster.key(at: index), cluster.row(at: index))
      }
    }
  }
}

extension FileDifference.Change {
  /// The difference as a line, or a few, with the marks of diff.
  package var text: String {
    switch self {
    case .classOnly(let name, let isFirst): "\(isFirst ? "-" : "+") class \(name)"
    case .kind(let name, let old, let new): "~ class \(name): \(old) → \(new)"
    case .schema(let name, let only, let isFirst):
      only.map { "\(isFirst ? "-" : "+") \(name).\($0)" }.joined(separator: "\n")
    case .object(let name, let id, let isFirst): "\(isFirst ? "-" : "+") \(name) \(Self.text(id))"
    case .values(let name, let id, let changes):
      "~ \(name) \(Self.text(id))"
        + changes.map { "\n    \($0.property): \(Self.text($0.old)) → \(Self.text($0.new))" }
        .joined()
    }
  }

  private static func text(_ value: JSONValue) -> String {
    if let key = value["$object"]?.integer { return "#\(key)" }
    return CellText.shortened(JSONWriter.text(value), limit: 60)
  }

  /// The difference for programs.
  package var json: JSONValue {
    switch self {
    case .classOnly(let name, let isFirst):
      ["change": Self.kind(isFirst), "class": .string(name)]
    case .kind(let name, let old, let new):
      [
        "change": "modified", "class": .string(name),
        "kind": ["old": .string("\(old)"), "new": .string("\(new)")],
      ]
    case .schema(let name, let only, let isFirst):
      [
        "change": Self.kind(isFirst), "class": .string(name),
        "properties": .array(only.map { .string($0) }),
      ]
    case .object(let name, let id, let isFirst):
      ["change": Self.kind(isFirst), "class": .string(name), "object": id]
    case .values(let name, let id, let changes):
      [
        "change": "modified", "class": .string(name), "object": id,
        "values": .object(
          changes.map { JSONMember($0.property, ["old": $0.old, "new": $0.new]) }),
      ]
    }
  }

  private static func kind(_ isFirst: Bool) -> JSONValue {
    .string(isFirst ? "removed" : "added")
  }
}
#endif
