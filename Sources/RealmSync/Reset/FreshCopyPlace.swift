// SPDX-License-Identifier: Apache-2.0

// The file beside a file to which its fresh copy is downloaded.

package import RealmStorage

/// Where the fresh copy of a file is.
package struct FreshCopyPlace: Sendable {
  /// Opens the copy, which is made if there is none.
  package let open: @Sendable () throws(StorageError) -> DatabaseFile
  /// Deletes the copy, which is closed.
  package let remove: @Sendable () -> Void

  package init(
    open: @escaping @Sendable () throws(StorageError) -> DatabaseFile,
    remove: @escaping @Sendable () -> Void
  ) {
    self.open = open
    self.remove = remove
  }

  /// The path of the fresh copy of a file.
  package static func path(of file: String) -> String { file + ".fresh" }
}
