// SPDX-License-Identifier: Apache-2.0

// New and erased classes and properties.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension InstructionApplier {
  mutating func addTable(_ step: Instruction.AddTable) throws(ApplyProblem) {
    let name = try self.name(step.table)
    let existing = try ApplyProblem.storing(group.table(named: "class_" + name))
    if let existing { return try compare(existing.schema, step, name) }
    var keyName: String?
    if let key = step.key, key.type != .globalKey { keyName = try self.name(key.field) }
    if let limits {
      let count = try ApplyProblem.storing(group.tableKeys().count)
      guard count < limits.classCountMax else { throw .tooManyClasses(limits.classCountMax) }
      workLeft -= ApplyLimits.classWork
    }
    forgetSchema()
    try ApplyProblem.storing(create(step, named: name, keyName))
  }

  private func create(
    _ step: Instruction.AddTable, named name: String, _ keyName: String?
  ) throws(StorageError) {
    let table = try group.createTable(named: "class_" + name, kind: step.kind.stored)
    guard let key = step.key, let keyName, let type = key.type.columnType else { return }
    let column = try table.addColumn(named: keyName, type: type, isNullable: key.isNullable)
    try table.setPrimaryKey(column.key)
  }

  /// An existing class must be equal to the added one.
  private func compare(
    _ schema: TableSchema, _ step: Instruction.AddTable, _ name: String
  ) throws(ApplyProblem) {
    guard schema.kind == step.kind.stored else { throw .classMismatch(name) }
    guard let key = step.key, key.type != .globalKey else {
      guard schema.primaryKey == nil else { throw .classMismatch(name) }
      return
    }
    guard let column = schema.primaryKey, column.name == changeset.text(of: key.field),
      column.type == key.type.columnType, column.isNullable == key.isNullable
    else { throw .classMismatch(name) }
  }

  mutating func eraseTable(_ name: InternedString) throws(ApplyProblem) {
    let table = try table(name)
    if policy == .recovering {
      throw .erasedSchema(
        "Types cannot be erased during client reset recovery: '\(changeset.text(of: name))'")
    }
    forgetSchema()
    try ApplyProblem.storing(group.removeTable(table.key))
  }

  mutating func addColumn(_ step: Instruction.AddColumn) throws(ApplyProblem) {
    let name = try self.name(step.field)
    if newColumns.contains(name, of: step.table) { try addNewColumns() }
    let table = try table(step.table)
    let place = "\(changeset.text(of: step.table)).\(name)"
    guard var type = step.type.columnType else { throw .propertyMismatch(place) }
    var target: WritableTable?
    if let targetName = step.linkTarget {
      if changeset.text(of: targetName).isEmpty {
        type = .typedLink
      } else {
        target = try self.table(targetName)
      }
    }
    let collection = step.collection.stored
    if let column = table.schema.column(named: name) {
      guard column.type == type, column.collection == collection,
        column.targetTable == target?.key
      else { throw .propertyMismatch(place) }
      return
    }
    if type == .typedLink, collection == .set || collection == .dictionary {
      throw .propertyMismatch(place)
    }
    if collection == .set, target?.schema.kind == .embedded { throw .propertyMismatch(place) }
    let added = newColumns.count(of: step.table)
    if let limits, table.schema.columns.count + added >= limits.propertyCountMax {
      throw .tooManyProperties(changeset.text(of: step.table), limits.propertyCountMax)
    }
    newColumns.append(
      NewColumn(
        named: name, type: type, collection: collection, isNullable: step.isNullable,
        target: target?.key),
      to: step.table, by: .addColumn(step))
  }

  /// Adds the waiting columns, those of one class at once.
  mutating func addNewColumns() throws(ApplyProblem) {
    let waiting = newColumns.takeAll()
    for (name, columns) in waiting {
      let table = try table(name)
      // The first time is free: an app may add properties to a class with any number of objects.
      if !newColumns.rewritten.insert(changeset.text(of: name)).inserted, limits != nil {
        let count = try ApplyProblem.storing(table.objectCount())
        workLeft -= count * ApplyLimits.rewriteWork
        guard workLeft >= 0 else { throw .tooMuchWork }
      }
      try ApplyProblem.storing(table.columns.add(columns))
    }
    forgetSchema()
  }

  mutating func eraseColumn(_ step: Instruction.EraseColumn) throws(ApplyProblem) {
    let table = try table(step.table)
    let name = changeset.text(of: step.field)
    if policy == .recovering {
      throw .erasedSchema("Properties cannot be erased during client reset recovery")
    }
    guard let column = table.schema.column(named: name) else { throw .missingProperty(name) }
    guard !column.isPrimaryKey else { throw .propertyMismatch(name) }
    forgetSchema()
    try ApplyProblem.storing(table.columns.remove(column.key))
  }

  /// A possible name of a class or property: names are stored up to a zero byte.
  private func name(_ string: InternedString) throws(ApplyProblem) -> String {
    let name = changeset.text(of: string)
    guard !name.isEmpty, !name.utf8.contains(0) else { throw .badName(name) }
    return name
  }
}
