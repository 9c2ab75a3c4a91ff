// SPDX-License-Identifier: Apache-2.0

// Observed results of a list or of backlinks: the elements that pass a filter, in an order.

package import RealmQuery
import RealmStorage
package import RealmTables

/// Identifies the observed elements of a list, or of the objects that link to an object, with their
/// filter and order.
///
/// Such results are as long as one object's collection, so they are computed from scratch in each
/// version that may concern them, and compared.
package struct RefinementLocator: Hashable, Sendable {
  /// The collection whose elements are filtered, ordered or cut.
  package enum Base: Hashable, Sendable {
    case list(ListLocator)
    case backlinks(BacklinksLocator)
  }

  /// The elements in one version.
  package enum Elements: Sendable, Equatable {
    case keys([ObjectKey])
    case values([TableValue])

    var count: Int {
      switch self {
      case .keys(let keys): keys.count
      case .values(let values): values.count
      }
    }
  }

  package let base: Base
  package let query: TableQuery

  package init(base: Base, query: TableQuery) {
    self.base = base
    self.query = query
  }

  /// The table of the elements; nil if they are scalars.
  var elementTable: TableKey? {
    switch base {
    case .list(let list): list.column.type == .link ? list.column.targetTable : nil
    case .backlinks(let backlinks): backlinks.origin
    }
  }

  /// The elements; nil if the object that owns the collection is gone.
  func elements(in tables: TableGroup) throws(StorageError) -> Elements? {
    let keys: [ObjectKey]?
    switch base {
    case .backlinks(let backlinks): keys = try backlinks.keys(in: tables)
    case .list(let list):
      if list.column.type != .link {
        guard let values = try list.values(in: tables) else { return nil }
        do throws(QueryError) { return .values(try query.values(among: values)) } catch {
          throw error.asStorageError
        }
      }
      keys = try list.links(in: tables)?.compactMap(\.self)
    }
    guard let keys else { return nil }
    guard let key = elementTable, let table = try tables.table(key) else { return .keys([]) }
    do throws(QueryError) {
      return .keys(try query.keys(among: keys, of: table, in: tables))
    } catch { throw error.asStorageError }
  }

  /// The new elements, and the change from `old`.
  func advance(
    _ old: Elements, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> (Elements, ObservedChange?) {
    if try isUnaffected(by: step) { return (old, nil) }
    guard let new = try elements(in: step.new) else {
      let gone = ResultChanges(deletions: Array(0..<old.count))
      return (.keys([]), .collectionDeleted(gone))
    }
    let set = try changes(from: old, to: new, by: step, filter: filter)
    return (new, set.isEmpty ? nil : .collection(set))
  }

  /// Whether a step changed neither the collection nor anything that its elements link to.
  private func isUnaffected(by step: VersionStep) throws(StorageError) -> Bool {
    if step.changes.schemaChanged { return false }
    if case .list(let list) = base, let changes = step.changes[list.table],
      changes.deleted.contains(list.object)
        || changes.isModified(list.object, list.column.key)
    {
      return false
    }
    guard let elementTable else { return try modifiedLinks(by: step).isEmpty }
    return try step.isUnaffected(elementTable)
  }

  private func changes(
    from old: Elements, to new: Elements, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> ResultChanges {
    switch (old, new) {
    case (.keys(let old), .keys(let new)):
      guard let elementTable else { return ResultChanges() }
      let modified = try step.modified(in: elementTable, filter: filter)
      let inserted = step.changes[elementTable]?.inserted
      var changes = ResultChanges(
        from: old, to: new, isModified: modified.contains,
        isReplaced: { inserted?.contains($0) ?? false })
      if query.table == elementTable {
        do throws(QueryError) {
          try query.findReordered(&changes, of: old, from: step.old, to: step.new)
        } catch { throw error.asStorageError }
      }
      return changes
    case (.values(let old), .values(let new)):
      return changes(from: old, to: new, modifiedLinks: try modifiedLinks(by: step))
    default: return ResultChanges(deletions: Array(0..<old.count), insertions: Array(0..<new.count))
    }
  }

  /// The changed objects behind possible links of mixed elements.
  private func modifiedLinks(by step: VersionStep) throws(StorageError) -> Set<StoredLink> {
    guard case .list(let list) = base, list.column.type == .mixed else { return [] }
    return try list.modifiedLinks(by: step)
  }

  private func changes(
    from old: [TableValue], to new: [TableValue], modifiedLinks: Set<StoredLink>
  ) -> ResultChanges {
    var set = ResultChanges()
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): set.deletions.append(offset)
      case .insert(let offset, _, _): set.insertions.append(offset)
      }
    }
    set.deletions.sort()
    set.insertions.sort()
    if !modifiedLinks.isEmpty {
      let gone = Set(set.deletions)
      set.modifications = old.indices.filter { index in
        !gone.contains(index) && old[index].links(toOneOf: modifiedLinks)
      }
    }
    assert(set.isWhole(from: old.count, to: new.count), "`ResultChanges` 1, 2")
    return set
  }
}
