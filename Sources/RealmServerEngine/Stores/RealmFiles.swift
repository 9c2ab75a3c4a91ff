// SPDX-License-Identifier: Apache-2.0

// Where an embedded store finds its realm files.

package import RealmStorage

/// Opens the files of realms.
package protocol RealmFiles: Sendable {
  /// Opens the file of an existing realm.
  func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile

  /// Makes the file of a new realm. It has its name only once it is complete.
  func make(
    _ realm: RealmID, _ body: (DatabaseFile) throws(StoreError) -> Void
  ) throws(StoreError)

  /// Whether the realm has a file.
  func hasFile(of realm: RealmID) -> Bool

  /// The realms of an app with files, sorted.
  func realms(ofApp app: String) throws(StorageError) -> [RealmID]
}
