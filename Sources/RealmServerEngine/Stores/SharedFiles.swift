// SPDX-License-Identifier: Apache-2.0

// What servers with one store have in common beside realms: settings of apps, schemas and keys.

/// A small file that servers share.
package struct SharedServerFile: Hashable, Sendable {
  /// The path from the folder of a server on.
  package let path: String
  /// The number of its changes so far; 0 for a file that was never stored.
  package let version: Int64
  /// Nil if it was removed.
  package let bytes: [UInt8]?

  package init(path: String, version: Int64, bytes: [UInt8]?) {
    self.path = path
    self.version = version
    self.bytes = bytes
  }
}

/// Keeps small files for all servers of a store. All calls block their thread.
package protocol SharedFiles: Sendable {
  /// All files, removed ones too.
  func all() throws(StoreError) -> [SharedServerFile]

  /// Stores a file, durably, if no other server has changed it.
  ///
  /// - Parameters:
  ///   - bytes: Nil to remove it.
  ///   - version: The version that the caller knows.
  /// - Returns: Whether it is stored; false if it has another version.
  func put(
    _ bytes: [UInt8]?, at path: String, after version: Int64
  ) throws(StoreError) -> Bool

  /// Has an element at the beginning, and after changes by this server or others; it may be late.
  func news() -> AsyncStream<Void>
}
