// SPDX-License-Identifier: Apache-2.0

// The content of a file is brought onto the fresh copy of a server that has never seen the file,
// with the file's own changes.
//
// Objects that the server lacks are *seeded*: created with all of their properties. Objects that it
// has keep its values, and the own changes of them are made again.
//
// 1. What is returned, carried out on the copy as it was before, gives the copy as it is now.
// 2. Each collection of a seeded object is cleared before it is filled. So two devices that seed
//    the same object at once end with the collection of one of them, and not with both.
// 3. What an own change has assigned in a seeded object is assigned again at the change's place, as
//    the seed is older than every change. Increments alone are taken off the seed and made again.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Brings the content of a file onto a fresh copy.
///
/// First `begin`, then `seed`, then `replay` for each own change in their order. After an error the
/// transaction is to be rolled back. Confined as the transaction.
package struct ContentAdoption<Old: TableReader> {
  private let old: Old
  private let changes: [Changeset]
  private let copy: WriteGroup
  private var applier: InstructionApplier
  private var writer: ObjectStateWriter<Old>
  private var replay: ChangeReplay<Old>
  private var touched: TouchedFields

  /// The number of objects that the server lacked.
  package private(set) var seededCount = 0
  /// The lists to be copied that the file or the copy has no more.
  package var droppedLists: [String] { replay.droppedLists }

  /// The size of a changeset of seeded objects.
  private static var batchByteCount: Int { 256 << 10 }

  /// - Parameters:
  ///   - old: The file.
  ///   - oldFile: Its identifier at the former server.
  ///   - changes: Its own changes.
  ///   - copy: A transaction on the copy.
  ///   - file: The identifier of the copy.
  package init(
    of old: Old, _ oldFile: FileIdentifier, _ changes: [Changeset], onto copy: WriteGroup,
    _ file: FileIdentifier
  ) {
    self.old = old
    self.changes = changes
    self.copy = copy
    applier = InstructionApplier(copy, file: file)
    writer = ObjectStateWriter(old, file: oldFile)
    replay = ChangeReplay(from: old, oldFile, onto: copy, file)
    touched = TouchedFields()
  }

  /// Adds the classes and properties of the file.
  ///
  /// - Returns: The changeset that does.
  package mutating func begin() throws(ApplyError) -> [UInt8] {
    try ApplyError.storing(writer.appendSchema())
    return try carryOut(writer.take())
  }

  private mutating func carryOut(_ bytes: [UInt8]) throws(ApplyError) -> [UInt8] {
    if !bytes.isEmpty { try applier.apply(Self.parse(bytes)) }
    return bytes
  }

  private static func parse(_ bytes: [UInt8]) throws(ApplyError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes)
    } catch {
      throw .badChangeset(.badValue("\(error)"), instruction: "the adoption of a file")
    }
  }

  // MARK: Seeding

  /// Creates the objects that the copy lacks, as they are in the file.
  ///
  /// - Parameter take: Takes the changesets that do, each of a size that can be uploaded, one after
  ///   the other: together they are as large as the file.
  package mutating func seed(_ take: ([UInt8]) -> Void) throws(ApplyError) {
    try noteTouchedFields()
    let classes = try ApplyError.storing(old.classSchemas()).filter { $0.kind == .topLevel }
    for schema in classes.sorted(by: { $0.displayName < $1.displayName }) {
      guard let table = try ApplyError.storing(old.readTable(schema.key)) else { continue }
      var cursor = table.clusterCursor()
      while let cluster = try ApplyError.storing(cursor.next()) {
        for index in 0..<cluster.count {
          let object = cluster.key(at: index)
          if try hasCounterpart(of: object, schema) { continue }
          try ApplyError.storing(writer.append(object, in: schema.key, isFresh: false))
          seededCount += 1
          if writer.byteCount >= Self.batchByteCount { take(try carryOut(writer.take())) }
        }
      }
    }
    for changeset in [writer.take(), touched.withoutIncrements(changes)] where !changeset.isEmpty {
      take(try carryOut(changeset))
    }
  }

  private func hasCounterpart(
    of object: ObjectKey, _ schema: TableSchema
  ) throws(ApplyError) -> Bool {
    guard let column = schema.primaryKey,
      let row = try ApplyError.storing(old.row(of: object, in: schema.key))
    else { return false }
    let key = try ApplyError.storing(row.value(of: column))
    let table = try ApplyError.storing(copy.table(named: schema.name))
    guard let table else { return false }
    return try ApplyError.storing(copy.object(withPrimaryKey: key, in: table.key)) != nil
  }

  /// Finds what the own changes touch of objects that the copy lacks and the file has.
  private mutating func noteTouchedFields() throws(ApplyError) {
    for (number, changeset) in changes.enumerated() {
      applier.begin(changeset)
      for (place, instruction) in changeset.instructions.enumerated() {
        guard let reference = instruction.object else { continue }
        let address = ListAddress(reference, of: changeset)
        if !touched.knows(address) {
          let isInCopy = try applier.hasObject(reference)
          touched.note(
            address, isInCopy ? nil : try ApplyError.storing(address.object(in: old)))
        }
        touched.note(instruction, address, at: place, of: number, changeset)
      }
    }
  }

  // MARK: Own changes

  /// Makes an own change again.
  ///
  /// - Returns: The changesets that do, to be uploaded in its place.
  package mutating func replay(_ number: Int) throws(ApplyError) -> [[UInt8]] {
    let part = touched.unseededPart(of: changes[number])
    let replayed = ChangesetEncoder.encode(try replay.replay(part))
    for field in touched.fields(assignedBy: number) {
      try ApplyError.storing(writer.append(field.column, of: field.object, in: field.table))
    }
    return try [replayed, carryOut(writer.take())].filter { !$0.isEmpty }
  }
}
