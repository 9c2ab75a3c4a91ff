// SPDX-License-Identifier: Apache-2.0

// Files of tests whose whole past is known.

import Synchronization

@testable import RealmStorage

extension DatabaseFile {
  /// Rules out that there are records of versions that no one published, in this session and the
  /// next ones of its lock file: a file with a new lock file could come from anywhere.
  /// `FormerSession` 2
  func forgetPast() {
    unsafe session.memory.recorded.pointee.store(0, ordering: .relaxed)
  }
}
