// SPDX-License-Identifier: Apache-2.0

// The progress of the download before an asynchronous open.

#if Sync
public import Dispatch

extension AsyncOpenTask {
  /// Calls a block with the progress of the download of a synchronised realm; realms of this device
  /// have none.
  public func addProgressNotification(
    queue: DispatchQueue = .main, block: @escaping @Sendable (SyncSession.Progress) -> Void
  ) {
    addHandler(queue) { block(SyncSession.Progress($0)) }
  }
}

#if canImport(Combine) || OpenCombine
extension RealmPublishers.AsyncOpenPublisher {
  /// Calls a block on the queue with the progress of the download of a synchronised realm.
  public func onProgressNotification(
    _ block: @escaping @Sendable (SyncSession.Progress) -> Void
  ) -> Self {
    var publisher = self
    publisher.progress = { block(SyncSession.Progress($0)) }
    return publisher
  }
}
#endif
#endif
