// SPDX-License-Identifier: Apache-2.0

// What has become of a set of subscriptions.

#if Sync
/// The state of a subscription set.
public enum SyncSubscriptionState {
  /// The realm has all objects that match.
  case complete
  /// The server refused the set; the one before it stays in force.
  case error(any Error)
  /// The server has not sent everything yet.
  case pending
  /// A newer set is in force.
  case superseded
}

extension SyncSubscriptionState: Equatable {
  /// Whether both are the same state, and errors have the same text.
  public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.pending, .pending), (.superseded, .superseded): true
    case (.error(let left), .error(let right)): "\(left)" == "\(right)"
    default: false
    }
  }
}
#endif
