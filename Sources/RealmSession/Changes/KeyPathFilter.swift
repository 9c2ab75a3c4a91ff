// SPDX-License-Identifier: Apache-2.0

// The key paths of an observer. They select the changes it is notified of.

package import RealmTables

/// A set of key paths as a tree, whose branches are columns.
///
/// A branch without further branches asks for changes of the property itself: for a link, another
/// target. One with branches asks for changes of linked objects as well.
package struct KeyPathFilter: Sendable, Hashable {
  package private(set) var branches: [ColumnKey: KeyPathFilter] = [:]

  package init() {}

  /// The part of this filter that begins with `column`.
  func only(_ column: ColumnKey) -> KeyPathFilter {
    var part = KeyPathFilter()
    part.branches[column] = branches[column]
    return part
  }

  mutating func formUnion(_ other: KeyPathFilter) {
    for (column, part) in other.branches {
      branches[column, default: KeyPathFilter()].formUnion(part)
    }
  }

  /// Adds a path of columns.
  package mutating func insert(_ path: ArraySlice<ColumnKey>) {
    guard let first = path.first else { return }
    branches[first, default: KeyPathFilter()].insert(path.dropFirst())
  }
}
