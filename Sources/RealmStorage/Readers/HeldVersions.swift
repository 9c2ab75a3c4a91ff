// SPDX-License-Identifier: Apache-2.0

// Versions that are in use for long: they keep a file from using its free space.
//
// A reader notes nothing but the version, as pinning one must cost next to nothing. So the time
// that a version is held is counted by the commits that find it in use beside a newer one.
//
// 1. Warnings are given without a lock, by the thread that committed, when the next writer has been
//    let go; once for each version.

import Dispatch

/// When commits of this process first found which old versions in use.
package final class HeldVersions: Sendable {
  /// A version that is in use for long.
  package struct Warning: Sendable, Equatable {
    package let path: String
    package let version: UInt64
    package let newestVersion: UInt64
    package let heldNanoseconds: UInt64
    package let processes: [Int32]
    /// Who keeps the version, as far as it is known, the longest first.
    package let holders: [HeldVersion.Holder]
  }

  private struct Entry {
    let since: UInt64
    var isWarned = false
  }

  /// From when on a version is held for long.
  package static let patienceNanoseconds: UInt64 = 10_000_000_000

  private static let receiver = Locked<(@Sendable (Warning) -> Void)?>(nil)

  private let entries = Locked<[UInt64: Entry]>([:])

  init() {}

  /// Lets `body` have all warnings of this process.
  package static func onWarning(_ body: @escaping @Sendable (Warning) -> Void) {
    receiver.withLock { $0 = body }
  }

  static func warn(_ warning: Warning) { receiver.withLock { $0 }?(warning) }

  /// Whether the last commit found no old version in use.
  var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  /// Notes which old versions a commit found in use.
  ///
  /// - Returns: Those among them that are held for long now, and were not given before.
  func note(_ versions: [UInt64], at now: UInt64) -> [UInt64] {
    entries.withLock { entries in
      var known: [UInt64: Entry] = [:]
      var late: [UInt64] = []
      for version in versions {
        var entry = entries[version] ?? Entry(since: now)
        if !entry.isWarned, now - min(entry.since, now) >= Self.patienceNanoseconds {
          entry.isWarned = true
          late.append(version)
        }
        known[version] = entry
      }
      entries = known
      return late
    }
  }

  /// How long a version has been found in use; nil if it was not.
  func nanoseconds(
    since version: UInt64, at now: UInt64 = DispatchTime.now().uptimeNanoseconds
  ) -> UInt64? {
    entries.withLock { $0[version].map { now - min($0.since, now) } }
  }
}
