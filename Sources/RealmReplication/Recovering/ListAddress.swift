// SPDX-License-Identifier: Apache-2.0

// The name of a list that has no list around it.

import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

/// The address of a list: an object, a property, and keys of dictionaries and embedded objects. It
/// means the same in every changeset.
struct ListAddress: Hashable {
  enum Key: Hashable {
    case string(String)
    case other(PrimaryKey)
  }

  let table: String
  let key: Key
  let field: String
  let steps: [String]

  /// - Parameter prefix: The steps of the path up to the list.
  init(_ path: InstructionPath, prefix: some Sequence<PathElement>, of changeset: Changeset) {
    table = changeset.text(of: path.table)
    key = Self.key(path.key, of: changeset)
    field = changeset.text(of: path.field)
    steps = prefix.compactMap { element in
      if case .key(let key) = element { changeset.text(of: key) } else { nil }
    }
  }

  /// The address of an object.
  init(_ object: ObjectReference, of changeset: Changeset) {
    table = changeset.text(of: object.table)
    key = Self.key(object.key, of: changeset)
    field = ""
    steps = []
  }

  private static func key(_ key: PrimaryKey, of changeset: Changeset) -> Key {
    if case .string(let text) = key { .string(changeset.text(of: text)) } else { .other(key) }
  }

  /// Whether the list is of an object.
  func isOf(_ object: ListAddress) -> Bool { table == object.table && key == object.key }

  /// Whether the list is at a path or below it.
  func isAt(_ path: ListAddress) -> Bool {
    isOf(path) && field == path.field && steps.starts(with: path.steps)
  }

  /// The state of the list's property in a file, as `ObjectStateWriter` writes it; nil if the
  /// object is not there.
  func property(
    in source: some TableReader, _ file: FileIdentifier
  ) throws(StorageError) -> [UInt8]? {
    for schema in try source.classSchemas() where schema.displayName == table {
      guard let column = schema.column(named: field),
        let object = try object(in: source, schema, file)
      else { return nil }
      var writer = ObjectStateWriter(source, file: file)
      guard try writer.append(column, of: object, in: schema.key) else { return nil }
      return writer.take()
    }
    return nil
  }

  /// The object of the address, and its class; nil if a file has none, or a class without primary
  /// key.
  func object(
    in source: some TableReader
  ) throws(StorageError) -> (ObjectKey, TableSchema)? {
    for schema in try source.classSchemas() where schema.displayName == table {
      guard schema.kind == .topLevel, schema.primaryKey != nil,
        let object = try object(in: source, schema, .own)
      else { return nil }
      return (object, schema)
    }
    return nil
  }

  private func object(
    in source: some TableReader, _ schema: TableSchema, _ file: FileIdentifier
  ) throws(StorageError) -> ObjectKey? {
    let value: TableValue
    switch key {
    case .string(let text): value = .string(text)
    case .other(.int(let number)): value = .int(number)
    case .other(.objectID(let id)): value = .objectId(Bytes12(high: id.high, low: id.low))
    case .other(.uuid(let id)): value = .uuid(Bytes16(high: id.high, low: id.low))
    case .other(.null), .other(.string): value = .null
    case .other(.globalKey(let parts)):
      return ObjectKey(globalHigh: parts.high, low: parts.low, ownIdent: file.rawValue)
    }
    guard schema.primaryKey != nil else { return nil }
    return try source.object(withPrimaryKey: value, in: schema.key)
  }
}

extension ListAddress: CustomStringConvertible {
  var description: String {
    let key: String =
      switch self.key {
      case .string(let text): text.debugDescription
      case .other(let key): "\(key)"
      }
    return steps.reduce("\(table)[\(key)].\(field)") { "\($0).\($1)" }
  }
}
