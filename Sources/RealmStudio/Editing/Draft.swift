// SPDX-License-Identifier: Apache-2.0

// A write transaction held open while a person edits.
//
// Invariants:
// 1. The transaction holds the results of `edits`, in their order, from its first version on: a
//    failed edit is undone whole, and alone.
// 2. Undoing makes the remaining edits again from the beginning. The right to write is kept
//    meanwhile, so the version is the same, and new objects get the same keys.
// 3. Schemas are not shared with versions of the file, nor with undone edits: a class that was
//    created and undone may have the same table key as another one afterwards.

#if Tools
import RealmStorage
import RealmFormats
import RealmTables
import RealmTools

/// The edits of one open transaction, with undo and redo.
struct Draft {
  /// The most edits of one transaction.
  static let editCountMax = 10_000

  private(set) var group: WriteGroup
  private(set) var edits: [EditCommand] = []
  /// The undone edits, the next to be made again last.
  private(set) var undone: [EditCommand] = []
  /// The time of the last edit.
  var lastUse = ContinuousClock.now
  /// The last time at which a page was seen; nil if there was none.
  var lastPage: ContinuousClock.Instant?

  init(_ transaction: WriteTransaction) throws(StorageError) {
    group = try WriteGroup(transaction, schemas: SchemaCache())
  }

  /// Makes an edit.
  ///
  /// - Returns: The result of `EditCommand.apply(to:)`.
  mutating func apply(_ edit: EditCommand) throws -> JSONValue {
    guard edits.count < Self.editCountMax else {
      throw StudioFailure(
        409, "A transaction has at most \(Self.editCountMax) edits.",
        remedy: "Commit these, then go on.")
    }
    let result = try group.orUndo { try edit.apply(to: group) }
    edits.append(edit)
    undone = []
    return result
  }

  /// Takes the last edit back.
  mutating func undo() throws {
    guard let last = edits.popLast() else {
      throw StudioFailure(409, "There is no edit to undo.")
    }
    undone.append(last)
    try repeatEdits()
  }

  /// Makes the last undone edit again.
  mutating func redo() throws {
    guard let next = undone.popLast() else {
      throw StudioFailure(409, "There is no edit to make again.")
    }
    _ = try next.apply(to: group)
    edits.append(next)
  }

  /// Makes the edits again in the first version of the transaction.
  private mutating func repeatEdits() throws {
    group = try WriteGroup(try group.transaction.restarted(), schemas: SchemaCache())
    do {
      for edit in edits { _ = try edit.apply(to: group) }
    } catch {
      group.rollback()
      throw error
    }
  }
}
#endif
