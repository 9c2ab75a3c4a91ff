// SPDX-License-Identifier: Apache-2.0

// Changes of collections as they happen.

#if Sync
import Dispatch
import RealmFormats
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// Takes the events of a `ChangeStream`. Each method is called on the queue of the stream, and on
/// no other thread, so that the delegate need not be `Sendable`.
public protocol ChangeEventDelegate: AnyObject {
  /// The stream is open: later changes come.
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  /// The stream is closed: by `ChangeStream.close()`, or by an error.
  func changeStreamDidClose(with error: (any Error)?)
  /// The stream failed. It is closed next.
  func changeStreamDidReceive(error: any Error)
  /// A document was changed.
  ///
  /// - Parameter changeEvent: A document with `operationType` (`insert`, `update`, `replace`,
  ///   `delete`), `documentKey`, and the other fields of change events.
  func changeStreamDidReceive(changeEvent: AnyBSON?)
}

/// The changes of a collection, until it is closed.
///
/// Thread-safe. A stream that nobody keeps stays open: close it.
public final class ChangeStream: Sendable {
  private let task = Locked<Task<Void, Never>?>(nil)

  init() {}

  /// Ends the events. The delegate is told, once.
  public func close() { task.withLock { $0 }?.cancel() }

  /// Begins the events.
  func start(
    _ delegate: any ChangeEventDelegate, on queue: DispatchQueue,
    _ watch:
      @escaping @Sendable (
        _ onOpen: @escaping @Sendable () async -> Void,
        _ onEvent: @escaping @Sendable (BSONValue) async -> Void
      ) async throws(AppFailure) -> Void
  ) {
    // The delegate is used on the queue alone.
    let delegate = UnsafeTransfer(delegate)
    task.withLock { task in
      task = Task {
        var problem: (any Error)?
        do throws(AppFailure) {
          try await watch {
            queue.async { delegate.value.changeStreamDidOpen(self) }
          } _: { event in
            queue.async { delegate.value.changeStreamDidReceive(changeEvent: AnyBSON(event)) }
          }
        } catch {
          if error != .cancelled { problem = AppError.of(error) }
        }
        let error = problem
        queue.async {
          if let error { delegate.value.changeStreamDidReceive(error: error) }
          delegate.value.changeStreamDidClose(with: error)
        }
      }
    }
  }
}
#endif
