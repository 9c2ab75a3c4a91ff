// SPDX-License-Identifier: Apache-2.0

// Deleting objects with all that the rules say goes with them.

package import RealmStorage

extension WriteGroup {
  /// Whether deleting objects of a table takes more than deleting them.
  package func appliesDeleteRules(to table: TableKey) -> Bool {
    deleteRules?.concern(table) ?? false
  }

  /// Deletes objects, and what the rules delete with them. An object may be given twice.
  ///
  /// - Returns: The rule that forbids it: nothing is deleted then.
  package func delete(_ objects: [StoredLink]) throws(StorageError) -> DeniedDeletion? {
    guard let deleteRules, objects.contains(where: { deleteRules.concern($0.table) }) else {
      try deletePlainly(objects)
      return nil
    }
    let plan = try DeletionPlan(objects, deleteRules, in: self)
    if let denial = try plan.denial() { return denial }
    try deletePlainly(plan.doomed)
    return nil
  }

  /// Remembers further deletions of the rules with an embedded object taken from its owner and
  /// about to be deleted. Nothing forbids this.
  func prepareToDrop(_ embedded: StoredLink) throws(StorageError) {
    guard let deleteRules, deleteRules.concern(embedded.table) else { return }
    let plan = try DeletionPlan([embedded], deleteRules, in: self)
    assert(plan.doomed.first == embedded, "`DeletionPlan` 1: the seed comes first")
    dropped += plan.doomed.dropFirst()
    unsafe generation.value &+= 1
  }

  /// Deletes what embedded objects took along. To be called after each change: while one is made,
  /// no other object may vanish.
  package func deleteDropped() throws(StorageError) {
    while !dropped.isEmpty {
      let objects = dropped
      dropped = []
      try deletePlainly(objects)
    }
  }

  private func deletePlainly(_ objects: [StoredLink]) throws(StorageError) {
    for object in objects {
      // Embedded objects have gone with their owners.
      guard let table = try table(object.table), try table.row(of: object.key) != nil else {
        continue
      }
      try table.delete(object.key)
    }
  }
}
