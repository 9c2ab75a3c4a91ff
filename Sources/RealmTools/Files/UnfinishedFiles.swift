// SPDX-License-Identifier: Apache-2.0

// Files in the making, removed if the program is stopped.

import Foundation
import Synchronization

/// The names of incomplete files.
package enum UnfinishedFiles {
  private static let names = Mutex<Set<String>>([])

  package static func add(_ path: String) { names.withLock { _ = $0.insert(path) } }

  package static func remove(_ path: String) { names.withLock { _ = $0.remove(path) } }

  /// Removes the files, with the lock files beside them.
  package static func removeAll() {
    for path in names.withLock({ $0 }) { NewFile.remove(path) }
  }
}
