// SPDX-License-Identifier: Apache-2.0

// One file is made equal to another, as in a client reset, with writes for differences alone
// (P3 D.3).
//
// Properties are compared by their instructions, so links to future objects count, and so do their
// positions in lists.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Makes the classes of a write transaction equal to those of another file.
///
/// Missing classes and properties are added. Additional ones are left alone, so the caller compares
/// them before. Nothing is recorded; the change log has the differences.
package struct StateTransfer<Source: TableReader> {
  private let source: Source
  private let target: WriteGroup
  private let sourceFile: FileIdentifier
  private let targetFile: FileIdentifier
  private var sourceWriter: ObjectStateWriter<Source>
  private var targetWriter: ObjectStateWriter<WriteGroup>
  private var applier: InstructionApplier

  /// The size of a changeset of new objects.
  private static var batchByteCount: Int { 256 << 10 }

  /// - Parameters:
  ///   - sourceFile: The identifier of the other file.
  ///   - targetFile: The identifier of the transaction's file.
  package init(
    from source: Source, _ sourceFile: FileIdentifier = .own, to target: WriteGroup,
    _ targetFile: FileIdentifier = .own
  ) {
    self.source = source
    self.target = target
    self.sourceFile = sourceFile
    self.targetFile = targetFile
    sourceWriter = ObjectStateWriter(source, file: sourceFile)
    targetWriter = ObjectStateWriter(target, file: targetFile)
    applier = InstructionApplier(target, file: targetFile)
  }

  /// Carries out the transfer. After an error the transaction is to be rolled back.
  package mutating func run() throws(ApplyError) {
    try ApplyError.storing(sourceWriter.appendSchema())
    try apply(sourceWriter.take())
    let classes = try ApplyError.storing(
      source.classSchemas().map { ($0.displayName, $0) }.sorted { $0.0 < $1.0 })
    for (name, schema) in classes where schema.kind != .embedded { try create(name, schema) }
    for (name, schema) in classes where schema.kind != .embedded { try update(name, schema) }
    // At last: by now only links of the other file, too, lead to them.
    for (name, schema) in classes where schema.kind != .embedded { try erase(name, schema) }
  }

  // MARK: Steps

  /// Creates the missing objects.
  private mutating func create(_ name: String, _ schema: TableSchema) throws(ApplyError) {
    let table = try targetTable(name)
    for object in try ApplyError.storing(objects(of: schema.key, in: source)) {
      let found = try ApplyError.storing(
        counterpart(of: object, schema, source, sourceFile, in: table.schema, target, targetFile))
      if found != nil { continue }
      try ApplyError.storing(sourceWriter.append(object, in: schema.key))
      if sourceWriter.byteCount >= Self.batchByteCount { try apply(sourceWriter.take()) }
    }
    try apply(sourceWriter.take())
  }

  /// Assigns the different properties.
  private mutating func update(_ name: String, _ schema: TableSchema) throws(ApplyError) {
    let table = try targetTable(name)
    for object in try ApplyError.storing(objects(of: schema.key, in: source)) {
      let found = try ApplyError.storing(
        counterpart(of: object, schema, source, sourceFile, in: table.schema, target, targetFile))
      guard let found else { continue }
      for isLinking in [false, true] {
        for column in schema.columns where column.canLink == isLinking && !column.isPrimaryKey {
          guard let twin = table.schema.column(named: column.name) else { continue }
          try ApplyError.storing(sourceWriter.append(column, of: object, in: schema.key))
          try ApplyError.storing(targetWriter.append(twin, of: found, in: table.key))
          let (wanted, present) = (sourceWriter.take(), targetWriter.take())
          if wanted == present { continue }
          try applier.apply(PropertyDifference.changeset(from: parse(present), to: parse(wanted)))
        }
      }
    }
  }

  /// Erases the objects missing in the other file.
  private mutating func erase(_ name: String, _ schema: TableSchema) throws(ApplyError) {
    let table = try targetTable(name)
    for object in try ApplyError.storing(objects(of: table.key, in: target)) {
      let found = try ApplyError.storing(
        counterpart(of: object, table.schema, target, targetFile, in: schema, source, sourceFile))
      if found != nil { continue }
      let recorder = target.recorder
      target.recorder = nil
      defer { target.recorder = recorder }
      try ApplyError.storing(table.invalidate(object))
    }
  }

  // MARK: Objects

  private func objects(
    of table: TableKey, in source: some TableReader
  ) throws(StorageError) -> [ObjectKey] {
    guard let table = try source.readTable(table) else { return [] }
    var keys: [ObjectKey] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count { keys.append(cluster.key(at: index)) }
    }
    return keys
  }

  private func targetTable(_ name: String) throws(ApplyError) -> WritableTable {
    let table = try ApplyError.storing(target.table(named: "class_" + name))
    guard let table else {
      throw .badChangeset(.missingClass(name), instruction: "the transfer of a state")
    }
    return table
  }

  /// The same object in another file; nil if there is none.
  private func counterpart(
    of object: ObjectKey, _ schema: TableSchema, _ source: some TableReader,
    _ file: FileIdentifier, in other: TableSchema, _ target: some TableReader,
    _ otherFile: FileIdentifier
  ) throws(StorageError) -> ObjectKey? {
    guard let column = schema.primaryKey else {
      let (high, low) = object.globalParts(ownIdent: file.rawValue)
      guard let key = ObjectKey(globalHigh: high, low: low, ownIdent: otherFile.rawValue),
        try target.row(of: key, in: other.key) != nil
      else { return nil }
      return key
    }
    guard let row = try source.row(of: object, in: schema.key) else { return nil }
    return try target.object(withPrimaryKey: row.value(of: column), in: other.key)
  }

  // MARK: Instructions

  private mutating func apply(_ bytes: [UInt8]) throws(ApplyError) {
    if !bytes.isEmpty { try applier.apply(parse(bytes)) }
  }

  private func parse(_ bytes: [UInt8]) throws(ApplyError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes)
    } catch {
      // A file can hold values without an instruction, such as a timestamp with parts of different
      // signs.
      throw .badChangeset(.badValue("\(error)"), instruction: "the transfer of a state")
    }
  }
}
