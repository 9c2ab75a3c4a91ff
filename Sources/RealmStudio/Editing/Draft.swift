// SPDX-License-Identifier: Apache-2.0

// A write transaction that stays open while a person edits.
//
// Invariants:
// 1. The transaction holds what `edits` made, in their order, from the version it began with: an
//    edit that fails is taken back with all that it did.
// 2. Undoing makes the remaining edits again from the beginning. The right to write is kept
//    meanwhile, so the version is the same, and new objects get the same keys.
// 3. Schemas are not shared with the versions of the file, nor with what was undone: a class that
//    was created and taken back may have the same table key as another one afterwards.

#if Tools
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The edits of one open transaction, which can be undone and made again.
struct Draft {
  /// The most edits of one transaction.
  static let editCountMax = 10_000

  private(set) var group: WriteGroup
  private(set) var edits: [EditCommand] = []
  /// The edits that were undone, the next to be made again last.
  private(set) var undone: [EditCommand] = []
  /// The time of the last edit.
  var lastUse = ContinuousClock.now

  init(_ transaction: WriteTransaction) throws(StorageError) {
    group = try WriteGroup(transaction, schemas: SchemaCache())
  }

  /// Makes an edit.
  ///
  /// - Returns: What `EditCommand.apply(to:)` does.
  mutating func apply(_ edit: EditCommand) throws(StudioFailure) -> JSONValue {
    guard edits.count < Self.editCountMax else {
      throw StudioFailure(
        409, "A transaction has at most \(Self.editCountMax) edits.",
        remedy: "Commit these, then go on.")
    }
    do throws(StudioFailure) {
      let result = try edit.apply(to: group)
      edits.append(edit)
      undone = []
      return result
    } catch {
      try repeatEdits()
      throw error
    }
  }

  /// Takes the last edit back.
  mutating func undo() throws(StudioFailure) {
    guard let last = edits.popLast() else {
      throw StudioFailure(409, "There is no edit to undo.")
    }
    undone.append(last)
    try repeatEdits()
  }

  /// Makes the edit again that was undone last.
  mutating func redo() throws(StudioFailure) {
    guard let next = undone.popLast() else {
      throw StudioFailure(409, "There is no edit to make again.")
    }
    _ = try next.apply(to: group)
    edits.append(next)
  }

  /// Makes the edits again in the version that the transaction began with.
  private mutating func repeatEdits() throws(StudioFailure) {
    group = try reading { () throws(StorageError) in
      try WriteGroup(try group.transaction.restarted(), schemas: SchemaCache())
    }
    do throws(StudioFailure) {
      for edit in edits { _ = try edit.apply(to: group) }
    } catch {
      group.rollback()
      throw error
    }
  }
}
#endif
