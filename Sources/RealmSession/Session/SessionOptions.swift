// SPDX-License-Identifier: Apache-2.0

// The options with which a session is created.

package import RealmStorage
package import RealmTables

/// The file, the confinement and the version that a session begins with.
public struct SessionOptions: Sendable {
  let shared: SharedFile
  let confinement: Confinement
  /// The tables of the version that the session shows first.
  let tables: TableGroup
  /// Whether the session neither writes nor follows the file.
  package var isReadOnly = false
  /// How many versions may be in use when a transaction begins; nil for any number.
  package var versionLimit: UInt64?
  /// What the session's commits promise when they return.
  package var durability = CommitDurability.twoSyncs
  /// Damage that reads meet is reported here, and they go on; nil if they trap.
  package var damageHandler: (@Sendable (StorageError) -> Void)?

  package init(_ shared: SharedFile, _ confinement: Confinement, reading tables: TableGroup) {
    self.shared = shared
    self.confinement = confinement
    self.tables = tables
  }
}
