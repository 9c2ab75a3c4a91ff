// SPDX-License-Identifier: Apache-2.0

// Waits for the server to send what a subscription set asks for.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync

/// The states of subscription sets, and waits for them.
enum SubscriptionWait {
  /// The state of the set of a version.
  static func state(
    of version: UInt64, in shared: SharedFile
  ) throws(StorageError) -> SyncSubscriptionState {
    let sets = try StoredSubscriptionSet.all(in: shared.newestTables())
    if sets.contains(where: { $0.version > version && $0.state == .complete }) {
      return .superseded
    }
    guard let set = sets.first(where: { $0.version == version }) else {
      // A newer set has its objects, or a reset has removed this one.
      return sets.isEmpty ? .pending : .superseded
    }
    switch set.state {
    case .pending, .bootstrapping, .awaitingMark: return .pending
    case .complete: return .complete
    case .error:
      return .error(
        Realm.Error(
          .subscriptionFailed, message: set.error ?? "The server refused the subscriptions.",
          path: shared.file.path))
    }
  }

  /// Waits until the set of a version, or a newer one, is complete.
  ///
  /// - Parameter isStrict: Whether what hinders the session ends the wait, too.
  static func untilComplete(
    _ version: UInt64, _ core: SyncSessionCore, _ shared: SharedFile, isStrict: Bool = false
  ) async throws {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = try shared.file.onNewVersion { _ in signal.yield() }
    let id = core.observeFailure { signal.yield() }
    defer {
      listener.cancel()
      core.stopObserving(id)
    }
    signal.yield()
    for await _ in signals {
      switch try state(of: version, in: shared) {
      case .complete, .superseded: return
      case .error(let error): throw error
      case .pending: break
      }
      if let error = core.obstacle(isStrict) { throw error }
    }
    throw CancellationError()
  }

  /// Waits until the set of a version, or a newer one, is complete, but no longer than a time.
  static func untilComplete(
    _ version: UInt64, _ core: SyncSessionCore, _ shared: SharedFile, timeout: TimeInterval?
  ) async throws {
    guard let timeout else { return try await untilComplete(version, core, shared) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await untilComplete(version, core, shared) }
      group.addTask {
        try await Task.sleep(for: .seconds(timeout))
        throw NSError(
          domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
          userInfo: [NSLocalizedDescriptionKey: "Waiting for update timed out after \(timeout) s."])
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Waits until the newest set is complete.
  static func untilNewestIsComplete(
    _ core: SyncSessionCore, _ shared: SharedFile, isStrict: Bool
  ) async throws {
    let newest = try StoredSubscriptionSet.newest(in: shared.newestTables())
    try await untilComplete(newest?.version ?? 0, core, shared, isStrict: isStrict)
  }
}
#endif
