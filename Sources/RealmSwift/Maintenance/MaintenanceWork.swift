// SPDX-License-Identifier: Apache-2.0

// Work on whole files: it takes long, and reads from the disk, so no thread of the cooperative pool
// does it.

import Foundation
import RealmStorage
import Synchronization

/// Runs checks and copies of files on threads of their own.
enum MaintenanceWork {
  /// Whether the task that waits was cancelled.
  private final class Cancellation: Sendable {
    private let isRequested = Atomic(false)

    func request() { isRequested.store(true, ordering: .relaxed) }

    var wasRequested: Bool { isRequested.load(ordering: .relaxed) }
  }

  /// Runs `body` on a new thread, and tells it when the task is cancelled.
  ///
  /// - Parameters:
  ///   - purpose: The work, as the message says it if there is no thread.
  ///   - isWhole: Whether what `body` returns is whole, also if the task was cancelled meanwhile.
  ///   - progress: Called on that thread with ascending parts of the whole.
  /// - Throws: `CancellationError` if the task was cancelled before `body` had its result.
  static func run<Outcome: Sendable>(
    _ purpose: String, on path: String, isWhole: Bool = false,
    _isolation actor: isolated (any Actor)? = #isolation,
    progress: (@Sendable (Double) -> Void)?,
    _ body: @escaping @Sendable (WorkWatch) throws -> Outcome
  ) async throws -> Outcome {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isStarted = BackgroundThread.start(named: "realm-upkeep") {
          continuation.resume(
            with: Result {
              let outcome: Outcome
              do {
                outcome = try body(watch(progress, cancellation))
              } catch {
                if cancellation.wasRequested { throw CancellationError() }
                throw (error as? StorageError).map { Realm.Error($0, path: path) } ?? error
              }
              if !isWhole, cancellation.wasRequested { throw CancellationError() }
              return outcome
            })
        }
        guard !isStarted else { return }
        continuation.resume(
          throwing: Realm.Error(
            StorageError.threadUnavailable(path: path, purpose: purpose), path: path))
      }
    } onCancel: {
      cancellation.request()
    }
  }

  private static func watch(
    _ progress: (@Sendable (Double) -> Void)?, _ cancellation: Cancellation
  ) -> WorkWatch {
    var last = -1.0
    return WorkWatch(
      progress: { part in
        guard let progress, part > last else { return }
        last = part
        progress(part)
      }, isCancelled: { cancellation.wasRequested })
  }
}
