// SPDX-License-Identifier: Apache-2.0

// Enumerating the columns of a file while it is compacted.
//
// 1. Damage is copied, and never hidden: a node that does not match its checksum is not written
//    again, but stays in the copy as it is.
// 2. A copy that cannot be improved is made as it is. A table whose columns cannot be read is left
//    alone.

package import RealmStorage

/// Enumerates columns in a draft of a file, of which the compacted copy is made.
package enum EnumeratedCopy {
  /// Enumerates the columns of classes that repeat themselves, and takes values without an
  /// object out of enumerated ones.
  ///
  /// Synchronised files stay as they are: what their columns hold is decided by downloads as well.
  package static func prepare(
    _ transaction: WriteTransaction, _ limits: EnumerationLimits = EnumerationLimits()
  ) throws(StorageError) {
    let roots = transaction.roots
    guard !roots.tables.isNull,
      try transaction.base.top().historyType <= HistoryKind.inFile.type,
      isSound([roots.tables, roots.tableNames], transaction.allocator.space)
    else { return }
    let group = try WriteGroup(transaction)
    group.enumerationLimits = limits
    for key in try group.tableKeys() {
      try group.beginSavepoint()
      do throws(StorageError) {
        if let table = try group.table(key), try isSound(table) { try enumerate(table) }
        group.keepSavepoint()
      } catch {
        group.rollBackSavepoint()
      }
    }
    try group.flush()
  }

  private static func enumerate(_ table: WritableTable) throws(StorageError) {
    guard table.canChooseEnumerations else { return }
    for column in unsafe table.schema.enumeratedColumns {
      // Its index in the spec may have changed.
      guard let column = unsafe table.schema.column(column.key) else { continue }
      try table.enumerations.dropUnusedValues(of: column)
    }
    try table.enumerations.choose(comparesChecksums: true)
  }

  /// Whether the nodes of a table are sound that describe it, and are written again with it.
  private static func isSound(_ table: WritableTable) throws(StorageError) -> Bool {
    let (space, top) = unsafe (table.allocator.space, table.top)
    let spec = try space.node(at: top.spec)
    var refs = [table.topRef, top.spec, top.oppositeTables, top.oppositeColumns]
    for slot in [
      SpecSlot.types, SpecSlot.names, SpecSlot.attributes, SpecSlot.keys, SpecSlot.enumerations,
    ] {
      refs.append(try spec.ref(at: slot))
    }
    return isSound(refs, space)
  }

  private static func isSound(_ refs: [Ref], _ space: NodeSpace) -> Bool {
    refs.allSatisfy { ref in
      guard !ref.isNull else { return true }
      return (try? space.node(at: ref))?.isSound(at: ref, in: space) ?? false
    }
  }
}
