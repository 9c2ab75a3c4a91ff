// SPDX-License-Identifier: Apache-2.0

// The number of a string in the string table of a changeset.

/// A string of a changeset, by its index in the changeset's string table.
///
/// Class names, field names, string primary keys and dictionary keys in paths are interned. The
/// same index names another string in another changeset.
package struct InternedString: Hashable, Sendable {
  package var index: UInt32

  package init(_ index: UInt32) { self.index = index }
}
