// SPDX-License-Identifier: Apache-2.0

// Files in the making, removed if the program is stopped.

#if Tools
import Foundation
import Synchronization

/// The names of incomplete files.
package enum UnfinishedFiles {
  private static let names = Mutex<Set<String>>([])

  package static func add(_ path: String) { names.withLock { _ = $0.insert(path) } }

  package static func remove(_ path: String) { names.withLock { _ = $0.remove(path) } }

  /// Removes the files, with the lock files beside them, and ends the program with `body`: a thread
  /// that begins another file waits until then.
  package static func removeAll(andThen body: () -> Void) {
    names.withLock { names in
      for path in names { NewFile.remove(path) }
      body()
    }
  }
}
#endif
