// SPDX-License-Identifier: Apache-2.0

// The changes of an open write transaction, for results that follow it from within.
//
// A changeset records for readers of other versions what happened in the whole transaction, so it
// leaves out what is written into objects that the transaction created, and what was said just
// before. A reader of the data in the middle of the transaction has seen these objects, and needs
// both.

/// The changes of a write transaction since a reader began to follow it.
///
/// Invariants:
/// 1. Positions count all notes that were ever made; the oldest may be gone.
/// 2. A note that says what the last one says is left out only while no reader accessed the notes
///    in between.
struct WriteJournal {
  private enum Subject {
    case schema
    case created
    case removed
    case set
  }

  private struct Note: Equatable {
    let subject: Subject
    let table: TableKey
    var column = ColumnKey.null
    var object = ObjectKey.null
  }

  /// Beyond twice as many notes the older ones are dropped: a new query costs less than reading
  /// them.
  private static let keptCount = 1 << 17

  /// Whether a reader follows the transaction.
  private(set) var isFollowed = false
  private var notes: [Note] = []
  /// The position of the first note that is left.
  private var start = 0
  /// The position at which a reader last accessed the notes.
  private var lastLook = 0

  /// The position after all notes; further changes are noted from now on.
  mutating func follow() -> Int {
    isFollowed = true
    lastLook = start + notes.count
    return lastLook
  }

  /// The changes since a position; nil if they are not known any more.
  mutating func changes(since position: Int) -> VersionChanges? {
    guard position >= start else { return nil }
    lastLook = start + notes.count
    var changes = VersionChanges()
    for note in notes[(position - start)...] {
      if note.subject == .schema {
        changes.schemaChanged = true
        continue
      }
      changes.edit(changes.position(of: note.table)) { table in
        switch note.subject {
        case .created: table.noteCreated(note.object)
        case .removed: table.noteRemoved(note.object)
        case .set: table.noteSet(note.column, of: note.object)
        case .schema: break
        }
      }
    }
    return changes
  }

  /// Forgets all notes, as what they say was undone: who followed reads everything again.
  mutating func forget() {
    start += notes.count + 1
    notes = []
    lastLook = start
  }

  // MARK: Notes

  mutating func noteSchema() { append(Note(subject: .schema, table: .null)) }

  mutating func noteCreated(_ object: ObjectKey, in table: TableKey) {
    append(Note(subject: .created, table: table, object: object))
  }

  mutating func noteRemoved(_ object: ObjectKey, in table: TableKey) {
    append(Note(subject: .removed, table: table, object: object))
  }

  mutating func noteSet(_ column: ColumnKey, of object: ObjectKey, in table: TableKey) {
    append(Note(subject: .set, table: table, column: column, object: object))
  }

  private mutating func append(_ note: Note) {
    if start + notes.count > lastLook, notes.last == note { return }
    if notes.count >= WriteJournal.keptCount * 2 {
      notes.removeFirst(WriteJournal.keptCount)
      start += WriteJournal.keptCount
    }
    notes.append(note)
  }
}
