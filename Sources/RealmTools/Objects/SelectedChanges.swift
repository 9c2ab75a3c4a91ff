// SPDX-License-Identifier: Apache-2.0

// The changes of commits, as a query sees them.

#if Tools
import RealmTables

/// What the commits between two versions mean for the objects that a query selects; keys ascend.
struct SelectedChanges {
  let deleted: [ObjectKey]
  let inserted: [ObjectKey]
  let modified: [(key: ObjectKey, columns: [ColumnKey])]

  /// - Parameters:
  ///   - changes: What was changed in the class; nil if nothing was.
  ///   - before: The objects that were selected; nil for all.
  ///   - after: The objects that are selected; nil for all.
  init(_ changes: TableChanges?, before: Set<ObjectKey>?, after: Set<ObjectKey>?) {
    func was(_ key: ObjectKey) -> Bool { before?.contains(key) ?? true }
    func isNow(_ key: ObjectKey) -> Bool { after?.contains(key) ?? true }
    var deleted = Set((changes?.deleted.sorted() ?? []).filter(was))
    var inserted = Set((changes?.inserted.sorted() ?? []).filter(isNow))
    if let before, let after {
      // Objects come into the result, or leave it, by changes elsewhere, too.
      inserted.formUnion(after.subtracting(before))
      deleted.formUnion(before.subtracting(after))
    }
    let reported = deleted.union(inserted)
    let modified = (changes?.modifications.keys.sorted() ?? []).filter {
      was($0) && isNow($0) && !reported.contains($0)
    }
    self.modified = modified.map { ($0, changes?.modifiedColumns(of: $0) ?? []) }
    self.deleted = deleted.sorted()
    self.inserted = inserted.sorted()
  }
}
#endif
