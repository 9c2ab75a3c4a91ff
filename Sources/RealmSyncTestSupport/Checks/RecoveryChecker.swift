// SPDX-License-Identifier: Apache-2.0

// The expected contents of a file after a reset, in other words than those of the replay.
//
// 1. A discarding reset makes the file equal to its copy.
// 2. After a recovery an object is there if the file's own changes end with its creation, or
//    the copy has it and they do not end with its erasure (P5 6).
// 3. The last own value of a property of such an object is there; increments
//    are added to it, or to the value of the copy.

import RealmReplication
package import RealmStorage
package import RealmSync
import RealmSyncProtocol
import RealmTables

/// Compares files after resets with their expected contents.
package struct RecoveryChecker {
  package init() {}

  /// The fate of a property.
  private enum Change: Equatable {
    case value(TableValue)
    case increment(Int64)
    /// Nothing is said of it.
    case any
  }

  private struct Name: Hashable {
    let className: String
    let key: TableValue
  }

  private struct Object {
    var exists: Bool
    /// Whether it is the one of the copy.
    var isOld: Bool
    var changes: [String: Change] = [:]
  }

  /// The mistakes of a reset.
  ///
  /// - Parameter copy: The fresh copy, as it was before the reset.
  package func problems(
    _ outcome: ClientReset.Outcome, _ file: DatabaseFile, _ copy: DatabaseFile
  ) throws -> [String] {
    let (fresh, now) = (try copy.snapshot(), try file.snapshot())
    let ident = FileIdentifier(UInt64(try fresh.top().fileIdentifier))
    let (source, result) = (try TableGroup(fresh), try TableGroup(now))
    guard outcome.hasRecovered else {
      return try StateDigest(of: result, file: ident) == StateDigest(of: source, file: ident)
        ? [] : ["the file is not its copy"]
    }
    var objects: [Name: Object] = [:]
    for changeset in try Self.changes(of: outcome.before) {
      for instruction in changeset.instructions {
        try note(instruction, of: changeset, source, &objects)
      }
    }
    var problems: [String] = []
    for (name, object) in objects {
      if let problem = try problem(name, object, source, result) { problems.append(problem) }
    }
    return problems.sorted()
  }

  /// The own changes of a version before their upload, as integrations have altered them.
  private static func changes(of version: Snapshot) throws -> [Changeset] {
    guard let history = try version.syncHistory() else { return [] }
    var changesets: [Changeset] = []
    var cursor = history.heads(after: history.progress.upload.clientVersion)
    while let head = try cursor.next() {
      guard head.isUploadable else { continue }
      let bytes = try history.reciprocal(at: head.version) ?? history.changeset(at: head.version)
      changesets.append(try ChangesetParser.parse(StoredChangesetFraming.decode(bytes)))
    }
    return changesets
  }

  // MARK: Expectations

  private func note(
    _ instruction: Instruction, of changeset: Changeset, _ source: TableGroup,
    _ objects: inout [Name: Object]
  ) throws {
    guard let reference = instruction.object,
      let name = Self.name(reference, of: changeset)
    else { return }
    var object: Object
    if let known = objects[name] {
      object = known
    } else {
      let isThere = try Self.row(name, source) != nil
      object = Object(exists: isThere, isOld: isThere)
    }
    defer { objects[name] = object }
    switch instruction {
    case .createObject:
      if !object.exists { object = Object(exists: true, isOld: false) }
    case .eraseObject: object = Object(exists: false, isOld: false)
    case .update(let step):
      guard object.exists else { return }
      let value = Self.value(step.value, of: changeset)
      let isWhole = changeset.elements(of: step.path).isEmpty && !step.isDefault
      object.changes[changeset.text(of: step.path.field)] =
        if isWhole, let value { .value(value) } else { .any }
    case .addInteger(let step):
      guard object.exists else { return }
      let field = changeset.text(of: step.path.field)
      let isWhole = changeset.elements(of: step.path).isEmpty
      object.changes[field] =
        switch object.changes[field] {
        case _ where !isWhole: .any
        case .value(.int(let number))?: .value(.int(number &+ step.amount))
        case .value(.null)?: .value(.null)
        case .increment(let amount)?: .increment(amount &+ step.amount)
        case nil where object.isOld: .increment(step.amount)
        case .value?, .any?, nil: .any
        }
    default:
      guard let path = instruction.path else { return }
      object.changes[changeset.text(of: path.field)] = .any
    }
  }

  private static func name(_ object: ObjectReference, of changeset: Changeset) -> Name? {
    let key: TableValue
    switch object.key {
    case .string(let text): key = .string(changeset.text(of: text))
    case .int(let number): key = .int(number)
    case .null: key = .null
    case .objectID, .uuid, .globalKey: return nil
    }
    return Name(className: changeset.text(of: object.table), key: key)
  }

  /// A comparable value; nil for others.
  private static func value(_ payload: Payload, of changeset: Changeset) -> TableValue? {
    switch payload {
    case .int(let number): .int(number)
    case .bool(let truth): .bool(truth)
    case .string(let text): .string(changeset.text(text))
    default: nil
    }
  }

  // MARK: Comparing

  private func problem(
    _ name: Name, _ object: Object, _ source: TableGroup, _ result: TableGroup
  ) throws -> String? {
    let text = "\(name.className)[\(name.key)]"
    guard let (row, schema) = try Self.row(name, result) else {
      return object.exists ? "\(text) is lost" : nil
    }
    guard object.exists else { return "\(text) is there again" }
    for (field, change) in object.changes.sorted(by: { $0.key < $1.key }) {
      guard let column = schema.column(named: field) else { return "\(text).\(field) is lost" }
      guard let wanted = try wanted(change, column, name, source) else { continue }
      let found = try row.value(of: column)
      if found != wanted { return "\(text).\(field) is \(found) in place of \(wanted)" }
    }
    return nil
  }

  private func wanted(
    _ change: Change, _ column: Column, _ name: Name, _ source: TableGroup
  ) throws -> TableValue? {
    switch change {
    case .value(let value): return value
    case .any: return nil
    case .increment(let amount):
      guard column.type == .int, let (row, schema) = try Self.row(name, source),
        let old = schema.column(named: column.name),
        case .int(let number) = try row.value(of: old)
      else { return nil }
      return .int(number &+ amount)
    }
  }

  private static func row(_ name: Name, _ tables: TableGroup) throws -> (Row, TableSchema)? {
    guard let table = try tables.table(named: "class_" + name.className),
      let column = table.schema.primaryKey, column.type == .int || column.type == .string,
      name.key != .null || column.isNullable,
      let key = try tables.object(withPrimaryKey: name.key, in: table.schema.key),
      let row = try tables.row(of: key, in: table.schema.key)
    else { return nil }
    return (row, table.schema)
  }
}
