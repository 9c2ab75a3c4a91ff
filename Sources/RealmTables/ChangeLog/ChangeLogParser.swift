// SPDX-License-Identifier: Apache-2.0

// Reads changesets and combines them to the changes between two versions.

package import RealmStorage

/// Folds a run of changesets, oldest first, into the changes between two versions.
///
/// A changeset is bytes from a file: every opcode, operand and selection is checked, and what does
/// not follow the format throws.
package struct ChangeLogParser {
  /// The changes of all changesets read so far.
  package private(set) var changes = VersionChanges()

  private enum Selection {
    case none
    case collection(TableChanges.CollectionPlace)
  }

  /// Position of the selected table in `changes.tables`.
  private var table: Int?
  private var selection = Selection.none

  package init() {}

  /// The changes that a run of changesets makes together.
  ///
  /// - Throws: `StorageError.corrupted` for bytes that are not a changeset.
  package static func changes(
    in changesets: some Sequence<[UInt8]>
  ) throws(StorageError) -> VersionChanges {
    var parser = ChangeLogParser()
    for changeset in changesets { try parser.read(changeset) }
    return parser.changes
  }

  /// Adds one changeset.
  ///
  /// - Throws: `StorageError.corrupted` for bytes that are not a changeset; the changes are then
  ///   undefined.
  package mutating func read(_ changeset: [UInt8]) throws(StorageError) {
    table = nil
    selection = .none
    // The closure of `withUnsafeBufferPointer` carries typed errors.
    try unsafe changeset.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      var input = unsafe Input(bytes: bytes)
      while let code = input.next() {
        guard let instruction = ChangeLogInstruction(rawValue: code) else {
          throw .corrupted("a changeset holds the unknown instruction \(code)")
        }
        try apply(instruction, &input)
      }
    }
  }

  private mutating func apply(
    _ instruction: ChangeLogInstruction, _ input: inout Input
  ) throws(StorageError) {
    switch instruction {
    case .createObject:
      let object = ObjectKey(try input.integer())
      let table = try selectedTable()
      changes.edit(table) { $0.noteCreated(object) }
    case .removeObject:
      let object = ObjectKey(try input.integer())
      let table = try selectedTable()
      changes.edit(table) { $0.noteRemoved(object) }
    case .setField, .setDefaultField:
      let place = try input.place()
      let table = try selectedTable()
      changes.edit(table) { $0.noteSet(place.column, of: place.object) }
    case .selectTable:
      guard try input.integer() == 0 else {
        throw .corrupted("a changeset selects a table of several levels")
      }
      table = changes.position(of: try input.tableKey())
      selection = .none
    case .selectCollection:
      _ = try selectedTable()
      selection = .collection(try input.place())
    case .selectNestedCollection:
      _ = try selectedTable()
      var place = try input.place()
      for _ in 0..<(try input.count(atMost: Self.maximumNesting)) {
        place.salts.append(try input.integer())
      }
      selection = .collection(place)
    case .collectionInsert:
      try note(.insert(at: try input.index(), count: 1))
    case .collectionSet:
      try note(.set(at: try input.index()))
    case .collectionErase:
      try note(.erase(at: try input.index(), count: 1))
    case .collectionMove:
      let source = try input.index()
      try note(.move(from: source, to: try input.index()))
    case .collectionClear:
      try note(.clear(oldCount: try input.index()))
    case .keyedCollection37, .keyedCollection38, .keyedCollection39, .keyedCollection40,
      .keyedCollection41, .keyedCollection42, .keyedCollection44:
      _ = try input.integer()
      try note(nil)
    default:
      try applyToSchema(instruction, &input)
    }
  }

  /// Collections nest at most this deep (file format 4.9.1).
  private static let maximumNesting = 100

  private mutating func applyToSchema(
    _ instruction: ChangeLogInstruction, _ input: inout Input
  ) throws(StorageError) {
    switch instruction {
    case .insertTable, .renameTable:
      _ = try input.tableKey()
      changes.schemaChanged = true
    case .eraseTable:
      let key = try input.tableKey()
      changes.forget(key)
      changes.schemaChanged = true
    case .addLinkTarget:
      _ = try selectedTable()
      _ = try input.integer()
      _ = try input.tableKey()
    default:  // insertion, erasure and renaming of a column
      _ = try selectedTable()
      _ = try input.integer()
      changes.schemaChanged = true
    }
  }

  private func selectedTable() throws(StorageError) -> Int {
    guard let table else { throw .corrupted("a changeset changes no selected table") }
    return table
  }

  private mutating func note(_ edit: CollectionEdit?) throws(StorageError) {
    let table = try selectedTable()
    switch selection {
    case .none: throw .corrupted("a changeset edits no selected collection")
    case .collection(let place): changes.edit(table) { $0.noteEdit(edit, in: place) }
    }
  }

  /// The bytes of one changeset and how far they are read.
  @safe
  private struct Input {
    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    mutating func next() -> UInt8? {
      guard unsafe offset < bytes.count else { return nil }
      defer { offset &+= 1 }
      return unsafe bytes[offset]
    }

    mutating func integer() throws(StorageError) -> Int64 {
      guard let value = unsafe ChangeLogInteger.load(bytes, at: &offset) else {
        throw .corrupted("a changeset ends inside an instruction or holds an oversized number")
      }
      return value
    }

    mutating func count(atMost limit: Int) throws(StorageError) -> Int {
      let value = try integer()
      guard (0...Int64(limit)).contains(value) else {
        throw .corrupted("a changeset holds the count \(value), more than \(limit)")
      }
      return Int(value)
    }

    /// The index of an element; below what sums of indexes and counts could overflow.
    mutating func index() throws(StorageError) -> Int { try count(atMost: 1 << 48) }

    mutating func tableKey() throws(StorageError) -> TableKey {
      let value = try integer()
      guard (0..<Int64(TableKey.null.rawValue)).contains(value) else {
        throw .corrupted("a changeset names the impossible table \(value)")
      }
      return TableKey(UInt32(value))
    }

    mutating func place() throws(StorageError) -> TableChanges.CollectionPlace {
      let column = ColumnKey(try integer())
      return .init(object: ObjectKey(try integer()), column: column)
    }
  }
}
