// SPDX-License-Identifier: Apache-2.0

// What goes into a store at once.

package import RealmSyncProtocol

/// Changes of a realm that are stored together, or not at all.
package struct Batch: Hashable, Sendable {
  /// The versions that follow the newest one, in order.
  package var entries: [StoredEntry]
  /// Client files in their new state. Reciprocals and private changes up to their
  /// `reciprocalBase` go with that.
  package var files: [ClientFile]
  /// Expired client files that are removed; their identifiers are not given again.
  package var forgotten: [FileIdentifier]
  package var reciprocals: [ReciprocalChange]
  package var privates: [PrivateChange]
  /// The newest version whose entry is to go; nil to keep what is there.
  package var trimsThrough: UInt64?
  /// The newest version whose entry is not to be read any more, and stays where it is; nil for
  /// none.
  package var skipsThrough: UInt64?

  package init(
    entries: [StoredEntry] = [], files: [ClientFile] = [], forgotten: [FileIdentifier] = [],
    reciprocals: [ReciprocalChange] = [], privates: [PrivateChange] = [],
    trimsThrough: UInt64? = nil, skipsThrough: UInt64? = nil
  ) {
    self.forgotten = forgotten
    self.skipsThrough = skipsThrough
    self.entries = entries
    self.files = files
    self.reciprocals = reciprocals
    self.privates = privates
    self.trimsThrough = trimsThrough
  }
}
