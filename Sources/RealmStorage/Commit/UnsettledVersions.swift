// SPDX-License-Identifier: Apache-2.0

// Commits that returned before the header on the disk named them, and a sync for them that failed
// when no transaction was there to be told.
//
// 1. The receiver is called without a lock, by the thread that settled the file.

/// Versions that could not be settled. Those among them that were deferred are lost, as far as the
/// disk has not taken them; those with one sync are found by their records.
package struct UnsettledVersions: Sendable, Equatable {
  package let path: String
  package let versions: ClosedRange<UInt64>
  package let error: StorageError

  private static let receiver = Locked<(@Sendable (UnsettledVersions) -> Void)?>(nil)

  /// Lets `body` have all failures of this process.
  package static func onFailure(_ body: @escaping @Sendable (UnsettledVersions) -> Void) {
    receiver.withLock { $0 = body }
  }

  func report() { UnsettledVersions.receiver.withLock { $0 }?(self) }
}
