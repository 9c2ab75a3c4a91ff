// SPDX-License-Identifier: Apache-2.0

// The objects of a class as documents, as far as a user may read them.
//
// Invariants:
// 1. No object that the user's roles hide, and no property, has any influence on a result.

#if Server
import RealmFormats
import RealmQuery
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmTables

/// The partition of a realm in its documents.
struct DocumentPartition: Hashable, Sendable {
  /// The field with the value.
  let field: String
  let value: BSONValue
}

/// The documents of a class in a version, or in a transaction.
struct DocumentCollection {
  let reader: any TableReader
  let schema: TableSchema
  /// Nil for every right.
  let permission: ClassPermission?
  let partition: DocumentPartition?
  private let table: Table
  private let classes: StoredSchema

  /// The fields that the user may read.
  var fields: FieldSelection { permission?.readable ?? .all }

  /// Nil if the realm has no such class yet.
  ///
  /// - Throws: For a class whose objects are no documents.
  init?(
    _ name: String, in reader: any TableReader, _ permission: ClassPermission?,
    _ partition: DocumentPartition?
  ) throws(DocumentError) {
    let classes = try DocumentError.storing(StoredSchema(reader))
    guard let schema = classes[name], schema.className == name,
      let table = try DocumentError.storing(reader.readTable(schema.key))
    else { return nil }
    guard schema.kind == .topLevel else {
      throw .unsupported("the class \(name) has no documents of its own")
    }
    guard schema.primaryKey?.name == "_id" else {
      throw .unsupported("the class \(name) has no documents, as its primary key is not _id")
    }
    self.reader = reader
    self.schema = schema
    self.table = table
    self.classes = classes
    self.permission = permission
    self.partition = partition
  }

  /// An object with its document.
  struct Found {
    let key: ObjectKey
    let document: BSONValue
  }

  /// Visits the matching documents, until a visit returns false.
  func visit(
    _ query: DocumentQuery, _ work: inout DocumentWork,
    _ body: (Found, inout DocumentWork) throws(DocumentError) -> Bool
  ) throws(DocumentError) {
    for key in try keys(query) {
      try work.spend(16)
      guard let document = try document(of: key) else { continue }
      guard try query.matches(document, &work) else { continue }
      if try !body(Found(key: key, document: document), &work) { return }
    }
  }

  /// The document of an object; nil if there is none.
  func document(of key: ObjectKey) throws(DocumentError) -> BSONValue? {
    guard let row = try DocumentError.storing(table.row(of: key)) else { return nil }
    let document = try DocumentError.storing(
      DocumentReader(reader).document(row, schema, fields: fields))
    return adding(document)
  }

  /// The document of an object to which a document was written.
  func completed(_ document: BSONValue) throws(DocumentError) -> BSONValue {
    try DocumentError.storing(
      DocumentReader(reader).completed(document, schema, fields: fields))
  }

  /// A value of a property, as documents have it.
  func value(_ value: TableValue, of column: Column) throws(DocumentError) -> BSONValue {
    try DocumentError.storing(DocumentReader(reader).value(value, of: column))
  }

  /// The identity of an object.
  func identity(of key: ObjectKey) throws(DocumentError) -> ObjectIdentity {
    guard let identity = try DocumentError.storing(table.identity(of: key)) else {
      throw .failed("the object is gone")
    }
    return identity
  }

  /// The key of the object with an `_id`, whether the user may read it or not.
  func key(of id: TableValue) throws(DocumentError) -> ObjectKey? {
    try DocumentError.storing(table.key(of: .value(id)))
  }

  // MARK: Partitions

  /// A document with the field of its partition.
  private func adding(_ document: BSONValue) -> BSONValue {
    guard let partition, var elements = document.elements else { return document }
    elements.removeAll { $0.key == partition.field }
    if partition.value != .null {
      elements.append(BSONElement(partition.field, partition.value))
    }
    return .document(elements)
  }

  /// A document without the field of its partition, unless the class has such a property.
  func removingPartition(_ document: BSONValue) throws(DocumentError) -> BSONValue {
    guard let partition, var elements = document.elements else { return document }
    if let value = document[partition.field], !BSONOrder.areEqual(value, partition.value) {
      throw .failed("the document names another partition than the call")
    }
    elements.removeAll { $0.key == partition.field }
    if schema.column(named: partition.field) != nil {
      elements.append(BSONElement(partition.field, partition.value))
    }
    return .document(elements)
  }

  // MARK: Keys

  /// The objects that the user may read, without those that cannot match.
  private func keys(_ query: DocumentQuery) throws(DocumentError) -> [ObjectKey] {
    var conditions: [BoundPredicate] = []
    if let permission, permission.read != .constant(true) {
      // A filter that does not fit its class admits nothing.
      guard let rule = try bound(permission.read) else { return [] }
      conditions.append(rule)
    }
    let plan = query.filter(schema, readable: plannedFields)
    if plan == .constant(false) { return [] }
    if plan != .constant(true), let bound = try bound(plan) { conditions.append(bound) }
    let search = TableQuery(
      table.key, where: conditions.isEmpty ? nil : .all(conditions))
    do throws(QueryError) {
      return try search.keys(of: table, in: reader)
    } catch {
      if case .storage(let cause) = error { throw .storage(cause) }
      throw .failed("\(error)")
    }
  }

  /// The fields that the database may compare.
  private var plannedFields: FieldSelection {
    guard let partition else { return fields }
    return fields.intersection(FieldSelection(others: true, exceptions: [partition.field]))
  }

  private func bound(_ filter: ObjectFilter) throws(DocumentError) -> BoundPredicate? {
    try DocumentError.storing(filter.bound(to: schema, in: classes))
  }
}
#endif
