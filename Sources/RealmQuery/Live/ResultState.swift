// SPDX-License-Identifier: Apache-2.0

// The result of a query in one version, and the transition to the next.

package import RealmTables

/// The result of a query in one version.
package struct ResultState: Sendable, Equatable {
  /// The part of a result that is remembered.
  enum Content: Sendable, Equatable {
    /// All objects in the order of the keys; positions are read from the version itself.
    case all(count: Int)
    case keys(ChunkedKeys)
  }

  var content: Content
  /// The lists of the stages after the query's order: of each `distinct` and each window.
  var lists: [StageList] = []

  /// The number of elements.
  package var count: Int {
    switch content {
    case .all(let count): count
    case .keys(let keys): keys.count
    }
  }

  /// The keys of the elements; nil if they are simply all objects of the table.
  package var keys: ChunkedKeys? {
    if case .keys(let keys) = content { keys } else { nil }
  }
}

extension ResultState {
  /// A result of a query without further steps.
  package init(_ keys: ChunkedKeys) { content = .keys(keys) }
}

/// The transition from one version to the next, as far as it concerns a query.
package struct ResultStep {
  let old: any TableReader
  let new: any TableReader
  let changes: VersionChanges
  /// The objects of the query's table in both versions that count as modified: directly, or by
  /// linked objects.
  let modified: Set<ObjectKey>

  package init(
    from old: any TableReader, to new: any TableReader, changes: VersionChanges,
    modified: Set<ObjectKey>
  ) {
    self.old = old
    self.new = new
    self.changes = changes
    self.modified = modified
  }
}
