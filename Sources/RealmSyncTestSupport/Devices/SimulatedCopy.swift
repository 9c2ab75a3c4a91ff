// SPDX-License-Identifier: Apache-2.0

// The place of a simulated device's fresh copy. It survives the program as a disk does.

import RealmStorage
import RealmSync
import RealmTestSupport

/// The file of a fresh copy, beside a device's own.
final class SimulatedCopy: Sendable {
  private let system = Locked<SimulatedFileSystem?>(nil)

  /// The copy as resets know it.
  var place: FreshCopyPlace {
    FreshCopyPlace(
      open: { () throws(StorageError) in try self.open() },
      remove: { self.remove() })
  }

  private func open() throws(StorageError) -> DatabaseFile {
    if let known = system.withLock({ $0 }) {
      return try known.openDatabase(history: .syncClient)
    }
    let made = try SimulatedFileSystem()
    system.withLock { $0 = made }
    return try made.openDatabase(history: .syncClient)
  }

  /// Deletes the copy.
  func remove() { system.withLock { $0 = nil } }

  /// The bytes of the copy; nil if there is none.
  func contents() throws(StorageError) -> [UInt8]? {
    try system.withLock { $0 }?.file.contents()
  }

  /// Puts a copy in place, as another program finds it.
  func restart(from contents: [UInt8]?) throws(StorageError) {
    let other: SimulatedFileSystem? =
      if let contents { try SimulatedFileSystem(contents: contents) } else { nil }
    system.withLock { $0 = other }
  }
}
