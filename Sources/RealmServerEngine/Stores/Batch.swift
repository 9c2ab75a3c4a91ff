// SPDX-License-Identifier: Apache-2.0

// One step of a store.

/// Changes of a realm, stored together or not at all.
package struct Batch: Hashable, Sendable {
  /// The next versions, in order.
  package var entries: [StoredEntry]
  /// Client files in their new state. Reciprocals and private changes up to their `reciprocalBase`
  /// go with it.
  package var files: [ClientFile]
  package var reciprocals: [ReciprocalChange]
  package var privates: [PrivateChange]
  /// The newest version to trim; nil for none.
  package var trimsThrough: UInt64?
  /// The newest version whose entry is not to be read any more, and stays where it is; nil for
  /// none.
  package var skipsThrough: UInt64?

  package init(
    entries: [StoredEntry] = [], files: [ClientFile] = [], reciprocals: [ReciprocalChange] = [],
    privates: [PrivateChange] = [], trimsThrough: UInt64? = nil, skipsThrough: UInt64? = nil
  ) {
    self.skipsThrough = skipsThrough
    self.entries = entries
    self.files = files
    self.reciprocals = reciprocals
    self.privates = privates
    self.trimsThrough = trimsThrough
  }
}
