// SPDX-License-Identifier: Apache-2.0

// Where an embedded store finds its realm files.

package import RealmStorage

/// Opens the files of realms.
package protocol RealmFiles: Sendable {
  /// Opens the file of a realm, which is created if it is missing.
  func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile
}
