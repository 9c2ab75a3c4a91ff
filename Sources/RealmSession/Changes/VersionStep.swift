// SPDX-License-Identifier: Apache-2.0

// The transition of a file from one version to another, as observers see it.

package import RealmStorage
package import RealmTables

/// Two versions and the changes between them; shared by all observers that make this transition.
package final class VersionStep: Sendable {
  let old: TableGroup
  let new: TableGroup
  let changes: VersionChanges

  private struct Question: Hashable {
    let table: TableKey
    let filter: KeyPathFilter?
  }

  private struct Answers {
    var modified: [Question: Set<ObjectKey>] = [:]
    var untouched: [TableKey: Bool] = [:]
  }

  /// The results computed so far: most observers of a table ask for the same.
  private let answers = Locked(Answers())

  package init(from old: TableGroup, to new: TableGroup) throws(StorageError) {
    assert(old.version <= new.version, "`ObserverHub` 2: states only advance")
    self.old = old
    self.new = new
    changes = try ChangeLogParser.changes(
      in: new.snapshot.file.changesets(after: old.version, through: new.snapshot))
  }

  /// The objects of `table` in both versions with changes within `filter`: of their own properties,
  /// or of linked objects.
  func modified(in table: TableKey, filter: KeyPathFilter?) throws(StorageError) -> Set<ObjectKey> {
    let question = Question(table: table, filter: filter)
    if let known = answers.withLock({ $0.modified[question] }) { return known }
    let walk = LinkedModifications(old: old, tables: new, changes: changes)
    var keys: Set<ObjectKey> = []
    if try walk.mayReach(table, depth: filter == nil ? LinkedModifications.depth : nil) {
      keys = try walk.keys(in: table, filter: filter)
      // A new object may reuse the key of a deleted one.
      if let own = changes[table], !own.inserted.isEmpty || !own.deleted.isEmpty {
        keys = keys.filter { !own.inserted.contains($0) && !own.deleted.contains($0) }
      }
    }
    answers.withLock { $0.modified[question] = keys }
    return keys
  }

  /// Whether nothing changed in `table`, nor in any table that links and backlinks lead to from it.
  func isUnaffected(_ table: TableKey) throws(StorageError) -> Bool {
    if changes.schemaChanged { return false }
    if let known = answers.withLock({ $0.untouched[table] }) { return known }
    let answer = try !LinkedModifications(old: old, tables: new, changes: changes)
      .mayReach(table, depth: nil)
    answers.withLock { $0.untouched[table] = answer }
    return answer
  }
}
