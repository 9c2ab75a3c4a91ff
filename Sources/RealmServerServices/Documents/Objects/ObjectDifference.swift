// SPDX-License-Identifier: Apache-2.0

// What leads from one document of an object to another, with instructions for differences alone:
// others may change the rest of the object at the same time.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The change of an object.
struct ObjectDifference {
  /// Nil if nothing is different.
  private(set) var changeset: Changeset?

  /// - Parameters:
  ///   - increments: What was added to integers.
  init(
    _ collection: DocumentCollection, _ key: ObjectKey, from before: BSONValue,
    to after: BSONValue, increments: [String: Int64]
  ) throws(DocumentError) {
    let object = try collection.identity(of: key)
    var result = Changeset()
    for column in collection.schema.columns where !column.isPrimaryKey {
      // What is hidden is in neither document.
      guard collection.fields.contains(column.name) else { continue }
      let (old, new) = (before[column.name], after[column.name])
      guard old != new else { continue }
      if let amount = increments[column.name], column.type == .int, column.collection == .none,
        old?.wholeNumber != nil
      {
        guard amount != 0 else { continue }
        Self.append(amount, to: column, of: object, &result)
        continue
      }
      var wanted = DocumentWriter(object, in: collection.reader, isFresh: false)
      try wanted.write(new ?? Self.missing(column), column)
      let present = try Self.present(old, column, object, key, collection)
      let change = PropertyDifference.changeset(from: present, to: wanted.changeset)
      for instruction in change.instructions {
        result.append(result.adopt(instruction, of: change))
      }
    }
    if !result.isEmpty { changeset = result }
  }

  /// What a missing value is to a property: null where there may be none.
  private static func missing(_ column: Column) -> BSONValue? {
    column.collection == .none && (column.isNullable || column.canLink) ? .null : nil
  }

  /// The state of a property before the change.
  private static func present(
    _ value: BSONValue?, _ column: Column, _ object: ObjectIdentity, _ key: ObjectKey,
    _ collection: DocumentCollection
  ) throws(DocumentError) -> Changeset {
    // A document has less of these: links to missing objects, and members as they are stored.
    let isEmbedded = try DocumentWriter.isEmbedded(column, in: collection.reader)
    if column.collection == .set || column.collection != .none && column.canLink && !isEmbedded {
      return try StateWriter(reader: collection.reader).state(
        of: column, of: key, in: collection.schema.key)
    }
    var writer = DocumentWriter(object, in: collection.reader, isFresh: false)
    try writer.write(value ?? missing(column), column)
    return writer.changeset
  }

  private static func append(
    _ amount: Int64, to column: Column, of object: ObjectIdentity, _ result: inout Changeset
  ) {
    let reference = result.reference(to: object)
    let path = InstructionPath(
      table: reference.table, key: reference.key, field: result.intern(column.name))
    result.append(.addInteger(.init(path: path, amount: amount)))
  }
}

/// Writes the stored state of a property.
private struct StateWriter {
  let reader: any TableReader

  func state(
    of column: Column, of key: ObjectKey, in table: TableKey
  ) throws(DocumentError) -> Changeset {
    try state(reader, column, key, table)
  }

  private func state(
    _ source: some TableReader, _ column: Column, _ key: ObjectKey, _ table: TableKey
  ) throws(DocumentError) -> Changeset {
    var writer = ObjectStateWriter(source, file: .server)
    try DocumentError.storing(writer.append(column, of: key, in: table))
    do throws(ChangesetError) {
      return try ChangesetParser.parse(writer.take())
    } catch {
      throw .failed("the value of '\(column.name)' cannot be changed")
    }
  }
}
#endif
