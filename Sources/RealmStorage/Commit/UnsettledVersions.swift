// SPDX-License-Identifier: Apache-2.0

// Commits that returned before the header on the disk named them, and a sync for them that failed
// when no transaction was under way to get the error.
//
// 1. Receivers are called without a lock, by the thread that settled the file.

/// Versions that could not be settled. Those among them that were deferred are lost, as far as the
/// disk has not taken them; those with one sync are found by their records.
package struct UnsettledVersions: Sendable, Equatable {
  package let path: String
  package let versions: ClosedRange<UInt64>
  package let error: StorageError

  private static let receivers = Locked<[@Sendable (UnsettledVersions) -> Void]>([])

  /// Lets `body`, beside others, have all failures of this process from now on.
  package static func onFailure(_ body: @escaping @Sendable (UnsettledVersions) -> Void) {
    receivers.withLock { $0.append(body) }
  }

  func report() {
    for receiver in UnsettledVersions.receivers.withLock({ $0 }) { receiver(self) }
  }
}
