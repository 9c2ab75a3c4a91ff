// SPDX-License-Identifier: Apache-2.0

// What is decided about files, until it is carried out.

package import RealmStorage

extension AppClient {
  /// The actions that wait for their files to be closed. Blocks the thread.
  package func fileActions() throws(StorageError) -> [FileAction] {
    try store?.fileActions() ?? []
  }

  /// Stores an action until it is carried out; in an app whose users are not stored it is forgotten
  /// with the process.
  ///
  /// - Returns: The action to carry out: a backup keeps the place that it was given first.
  package func store(_ action: FileAction) async throws(StorageError) -> FileAction {
    try await store?.store(action) ?? action
  }

  /// Forgets the action for a file, as it was carried out or is not wanted any more. Blocks
  /// the thread.
  package func removeFileAction(for path: String) throws(StorageError) {
    try store?.removeFileAction(for: path)
  }
}
