// SPDX-License-Identifier: Apache-2.0

// Lock files told from the files of others by their first bytes.

import TestExtensions
import Testing

@testable import RealmStorage

struct LockFileContentsTests {
  /// Whether bytes, zeros but for some, are those of a lock file.
  private func isLockFile(_ values: [Int: UInt8], layout: UInt16, byteCount: Int = 8_192) -> Bool {
    var bytes = [UInt8](repeating: 0, count: SharedMemory.busyMarkOffset)
    (bytes[6], bytes[7]) = (UInt8(layout & 255), UInt8(layout >> 8))
    for (place, value) in values { bytes[place] = value }
    return LockFileContents.isLockFile(bytes, byteCount: byteCount)
  }

  /// Ours has zeros nearly everywhere; a new one says no layout yet.
  @Test func ourLockFiles() {
    let format = UInt8(FileHeader.supportedVersion)
    for layout in [0, SharedMemory.layoutVersion] {
      for values in [[:], [0: 1], [4: format], [0: 1, 2_048: 9, 4: format]] as [[Int: UInt8]] {
        expectTrue(isLockFile(values, layout: layout), "\(values)")
      }
      for values in [[0: 2], [4: format + 1, 9: 1], [9: 1], [2_047: 1, 9: 1]] as [[Int: UInt8]] {
        expectTrue(!isLockFile(values, layout: layout), "\(values)")
      }
    }
    for place in [1, 2, 3, 5, 8, 2_047, 2_049, 2_055] {
      expectTrue(!isLockFile([place: 1], layout: SharedMemory.layoutVersion), "\(place)")
    }
    let most = SharedMemory.byteCountMax
    expectTrue(isLockFile([:], layout: 0, byteCount: most))
    expectTrue(!isLockFile([:], layout: 0, byteCount: most + 1))
  }

  /// Realm Core's fields have small numbers; an unfinished one says no layout, and is not begun.
  @Test func lockFilesOfRealmCore() {
    let most: [Int: UInt8] = [1: 200, 2: 200, 3: 1, 4: 100, 5: 10, 100: 7]
    for layout in [1, 10, 99] as [UInt16] {
      expectTrue(isLockFile(most, layout: layout) && isLockFile([0: 1, 100: 7], layout: layout))
      for place in 1...5 {
        let values = most.merging([place: (most[place] ?? 0) + 1]) { _, new in new }
        expectTrue(!isLockFile(values, layout: layout), "\(place)")
      }
      expectTrue(!isLockFile([9: 1], layout: layout))
    }
    expectTrue(isLockFile(most, layout: 0))
    expectTrue(!isLockFile([0: 1, 100: 7], layout: 0))
    expectTrue(!isLockFile([9: 1, 100: 7], layout: 0))
    expectTrue(!isLockFile(most, layout: 20_000))
  }
}
