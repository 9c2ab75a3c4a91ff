// SPDX-License-Identifier: Apache-2.0

// The address of a top-level object.

/// A class and a primary key.
package struct ObjectReference: Hashable, Sendable {
  package var table: InternedString
  package var key: PrimaryKey

  package init(table: InternedString, key: PrimaryKey) {
    self.table = table
    self.key = key
  }
}
