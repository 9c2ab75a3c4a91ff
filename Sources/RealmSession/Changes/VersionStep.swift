// SPDX-License-Identifier: Apache-2.0

// The way from one version of a file to another, as observers see it.

import RealmQuery
package import RealmStorage
package import RealmTables

/// Two versions, and the log of what happened in between; shared by all observers that go this way.
package final class VersionStep: Sendable {
  package let old: TableGroup
  package let new: TableGroup
  package let changes: VersionChanges

  private struct Question: Hashable {
    let table: TableKey
    let filter: KeyPathFilter?
  }

  private struct Answers {
    var modified: [Question: Set<ObjectKey>] = [:]
    var untouched: [TableKey: Bool] = [:]
  }

  /// What was found out already: most observers of a table ask for the same.
  private let answers = Guarded(Answers())

  package init(from old: TableGroup, to new: TableGroup) throws(StorageError) {
    self.old = old
    self.new = new
    changes = try ChangeLogParser.changes(
      in: new.snapshot.file.changesets(after: old.version, through: new.snapshot))
  }

  /// The objects of `table` that both versions have and that count as changed, as far as `filter`
  /// asks: by themselves, or by what they link to.
  package func modified(
    in table: TableKey, filter: KeyPathFilter?
  ) throws(StorageError) -> Set<ObjectKey> {
    let question = Question(table: table, filter: filter)
    if let known = answers.withLock({ $0.modified[question] }) { return known }
    let walk = LinkedModifications(old: old, tables: new, changes: changes)
    var keys: Set<ObjectKey> = []
    if try walk.mayReach(table, depth: filter == nil ? LinkedModifications.depth : nil) {
      keys = try walk.keys(in: table, filter: filter)
      // The key of a new object may be that of one that is gone.
      if let own = changes[table], !own.inserted.isEmpty || !own.deleted.isEmpty {
        keys = keys.filter { !own.inserted.contains($0) && !own.deleted.contains($0) }
      }
    }
    answers.withLock { $0.modified[question] = keys }
    return keys
  }

  /// Whether nothing changed in `table`, nor anywhere that links and backlinks lead from there.
  func isUnaffected(_ table: TableKey) throws(StorageError) -> Bool {
    if changes.schemaChanged { return false }
    if let known = answers.withLock({ $0.untouched[table] }) { return known }
    let answer = try !LinkedModifications(old: old, tables: new, changes: changes)
      .mayReach(table, depth: nil)
    answers.withLock { $0.untouched[table] = answer }
    return answer
  }
}
