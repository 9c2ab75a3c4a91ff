// SPDX-License-Identifier: Apache-2.0

// The subscriptions of a set, one after the other.

#if Sync
/// Iterates over the subscriptions of a set, in the order in which they were added.
public struct SyncSubscriptionSetIterator: IteratorProtocol {
  private let set: SyncSubscriptionSet
  private var position = 0

  init(_ set: SyncSubscriptionSet) { self.set = set }

  /// The next subscription; nil after the last one.
  public mutating func next() -> SyncSubscription? {
    defer { position += 1 }
    return set[position]
  }
}

extension SyncSubscriptionSet: Sequence {
  /// An iterator over the subscriptions.
  ///
  /// ```swift
  /// for subscription in realm.subscriptions { print(subscription.name ?? "-") }
  /// ```
  public func makeIterator() -> SyncSubscriptionSetIterator { SyncSubscriptionSetIterator(self) }
}
#endif
