// SPDX-License-Identifier: Apache-2.0

// Changes of subscription sets from asynchronous tests, where `update` alone waits for the server.

#if Sync
@testable import RealmSwift

extension SyncSubscriptionSet {
  /// Changes the subscriptions, and does not wait.
  func change(_ block: () -> Void) { update(block) }
}
#endif
