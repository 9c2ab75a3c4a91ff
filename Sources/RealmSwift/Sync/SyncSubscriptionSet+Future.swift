// SPDX-License-Identifier: Apache-2.0

// Changes of subscriptions as publishers.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
import RealmSession

extension SyncSubscriptionSet {
  /// Changes the subscriptions in a block, as `update(_:onComplete:)` does, before it returns.
  ///
  /// - Returns: Publishes on the main queue that the realm has all objects that match, or the
  ///   error.
  public func updateSubscriptions(_ block: @escaping () -> Void) -> Future<Void, any Error> {
    Future { promise in
      // The end of the update alone uses the promise, once.
      let promise = UnsafeTransfer(promise)
      self.update(block) { promise.value($0.map { .failure($0) } ?? .success(())) }
    }
  }
}
#endif
#endif
