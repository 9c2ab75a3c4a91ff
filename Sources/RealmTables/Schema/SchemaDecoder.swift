// SPDX-License-Identifier: Apache-2.0

// From a table's spec to its schema, with every number checked.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads the schema of one table.
///
/// - SeeAlso: file format 3.2, 3.3 and 3.5.
package struct SchemaDecoder {
  private let top: TableTop
  private let name: String
  private let space: NodeSpace
  private let types: Node
  private let names: Node
  private let attributes: Node
  private let keys: Node
  private let enumerations: Node?
  private let indexes: Node?
  private let oppositeTables: Node?
  private let oppositeColumns: Node?

  package init(_ top: TableTop, name: String, in space: NodeSpace) throws(StorageError) {
    self.top = top
    self.name = name
    self.space = space
    let spec = try space.node(at: top.spec)
    guard spec.header.hasRefs, spec.count >= SpecSlot.count else {
      throw .corrupted("the spec of table '\(name)' has \(spec.count) slots")
    }
    types = try space.node(at: try spec.ref(at: SpecSlot.types))
    names = try space.node(at: try spec.ref(at: SpecSlot.names))
    attributes = try space.node(at: try spec.ref(at: SpecSlot.attributes))
    keys = try space.node(at: try spec.ref(at: SpecSlot.keys))
    func optional(_ ref: Ref) throws(StorageError) -> Node? {
      ref.isNull ? nil : try space.node(at: ref)
    }
    enumerations = try optional(try spec.ref(at: SpecSlot.enumerations))
    indexes = try optional(top.indexes)
    oppositeTables = try optional(top.oppositeTables)
    oppositeColumns = try optional(top.oppositeColumns)
    guard types.count == keys.count, attributes.count == keys.count, names.count <= keys.count
    else { throw .corrupted("the spec of table '\(name)' has lists of different lengths") }
    guard keys.count <= Self.columnCountMax else {
      throw .corrupted("the spec of table '\(name)' claims \(keys.count) columns")
    }
  }

  /// As many as there are leaf indexes, which have sixteen bits of a column's key.
  static let columnCountMax = 1 << 16

  /// The schema.
  package func decode() throws(StorageError) -> TableSchema {
    var columns: [Column] = []
    var backlinks: [Column] = []
    var usedLeaves: Set<Int> = []
    for index in 0..<keys.count {
      let column = try column(at: index)
      guard usedLeaves.insert(column.leafIndex).inserted else {
        throw .corrupted("two columns of table '\(name)' have leaf index \(column.leafIndex)")
      }
      guard (index >= names.count) == (column.type == .backlink) else {
        throw .corrupted("the columns of table '\(name)' are out of order")
      }
      if index < names.count { columns.append(column) } else { backlinks.append(column) }
    }
    if let primaryKey = top.primaryKey, !columns.contains(where: { $0.key == primaryKey }) {
      throw .corrupted("the primary key of table '\(name)' is none of its columns")
    }
    return TableSchema(
      key: top.key, name: name, kind: top.kind, columns: columns, backlinkColumns: backlinks)
  }

  private func column(at index: Int) throws(StorageError) -> Column {
    let key = ColumnKey(try keys.integer(at: index))
    let stored = ColumnAttributes(
      rawValue: UInt16(truncatingIfNeeded: try attributes.integer(at: index)))
    guard let type = key.type, let collection = key.attributes.collection else {
      throw .corrupted("column \(index) of table '\(name)' has an unknown type")
    }
    guard key.attributes.agrees(with: stored) else {
      throw .corrupted("column \(index) of table '\(name)' has contradicting attributes")
    }
    let leaf = key.leafIndex
    let isPublic = index < names.count
    let isEnumerated =
      if isPublic, let enumerations, index < enumerations.count {
        try enumerations.integer(at: index) != 0
      } else { false }
    let storedType = try types.integer(at: index)
    let isNullable = key.attributes.contains(.nullable)
    return Column(
      key: key,
      name: isPublic ? try NameLeaf.name(at: index, of: names) : "",
      type: type,
      collection: collection,
      isNullable: isNullable,
      isIndexed: stored.contains(.indexed),
      isFullText: stored.contains(.fullTextIndexed),
      isPrimaryKey: isPublic && key == top.primaryKey,
      hasIndex: try element(leaf, of: indexes, otherwise: 0) != 0,
      isEnumerated: isEnumerated,
      hasIntegerKeys: collection == .dictionary
        && storedType >> 16 == Int64(ColumnType.int.rawValue),
      targetTable: try opposite(leaf, of: oppositeTables, null: Int64(TableKey.null.rawValue))
        .map { TableKey(UInt32(truncatingIfNeeded: $0)) },
      oppositeColumn: try opposite(leaf, of: oppositeColumns, null: ColumnKey.null.rawValue)
        .map { ColumnKey($0) },
      specIndex: index,
      leafKind: LeafKind(
        type: type, collection: collection, isNullable: isNullable, isEnumerated: isEnumerated))
  }

  private func element(
    _ index: Int, of node: Node?, otherwise: Int64
  ) throws(StorageError) -> Int64 {
    guard let node, index < node.count else { return otherwise }
    return try node.integer(at: index)
  }

  private func opposite(_ leaf: Int, of node: Node?, null: Int64) throws(StorageError) -> Int64? {
    let value = try element(leaf, of: node, otherwise: null)
    return value == null ? nil : value
  }

  // MARK: Recognising an unchanged schema

  /// The stored bytes that the schema follows from; equal bytes mean an equal schema.
  package func fingerprint() -> [UInt8] {
    var bytes: [UInt8] = []
    unsafe withParts { part in
      unsafe bytes.append(contentsOf: part)
      return true
    }
    return bytes
  }

  /// Whether `fingerprint()` would be `known`, without making it.
  package func matches(_ known: [UInt8]) -> Bool {
    var matched = 0
    let isPrefix = unsafe withParts { part in
      guard known.count - matched >= part.count else { return false }
      let same = unsafe known.withUnsafeBytes { bytes in
        guard let first = bytes.baseAddress, let second = part.baseAddress else {
          return unsafe part.isEmpty
        }
        return unsafe memcmp(first + matched, second, part.count) == 0
      }
      matched += part.count
      return same
    }
    return isPrefix && matched == known.count
  }

  /// Calls `body` with each part of the fingerprint until it says false.
  @discardableResult
  private func withParts(_ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    for node in [types, names, attributes, keys, oppositeTables, oppositeColumns] {
      // The header distinguishes an absent list from an empty one and fixes the widths; its first
      // four bytes are the allocator's.
      let header = node.map { $0.header.bits >> 32 } ?? 0
      guard unsafe withUnsafeBytes(of: header, body) else { return false }
      if let node, unsafe !body(node.bytes) { return false }
    }
    // Of indexes and enumerations only the presence matters: their refs change with the data.
    for node in [indexes, enumerations] {
      guard let node else { continue }
      for index in 0..<node.count {
        let present: UInt8 = node.uncheckedInteger(at: index) == 0 ? 0 : 1
        guard unsafe withUnsafeBytes(of: present, body) else { return false }
      }
    }
    let numbers = (top.key.rawValue, top.primaryKey?.rawValue ?? -1, Int64(top.kind.rawValue))
    guard unsafe withUnsafeBytes(of: numbers.0, body), unsafe withUnsafeBytes(of: numbers.1, body),
      unsafe withUnsafeBytes(of: numbers.2, body)
    else { return false }
    var text = name
    return text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }
}
