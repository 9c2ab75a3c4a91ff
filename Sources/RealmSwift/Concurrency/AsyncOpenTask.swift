// SPDX-License-Identifier: Apache-2.0

// Opens a realm for a queue, with a callback.

public import Dispatch
import Foundation
import RealmSession
import RealmStorage

extension Realm {
  /// Opens a realm in the background, with all that belongs to it, such as a migration, and hands
  /// it over to a queue.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the realm.
  ///   - callbackQueue: The serial queue that the realm is for.
  ///   - callback: Called once, on `callbackQueue`, with the realm or with the error.
  /// - Returns: A task that can cancel the call.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
    callback: @escaping (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    let task = AsyncOpenTask(UnsafeTransfer(callback), callbackQueue)
    RealmCore.openingQueue.async {
      guard task.isPending else { return }
      let confinement = Confinement.queue(callbackQueue)
      let opened = OpenedCore(opening: configuration, for: confinement)
      callbackQueue.async {
        task.finish {
          let opened = opened.take()
          // Other code on the queue may have opened the realm meanwhile.
          if let core = try RealmCache.livingCore(configuration, confinement) {
            return Realm(core: core)
          }
          return Realm(core: try RealmCache.add(try opened.get()))
        }
      }
    }
    return task
  }
}

/// A realm that is being opened.
public struct AsyncOpenTask: Sendable {
  typealias Callback = (Result<Realm, any Swift.Error>) -> Void

  private let queue: DispatchQueue
  /// The callback; nil once it was called, or is about to be.
  private let callback: Shared

  private final class Shared: Sendable {
    let value: Locked<UnsafeTransfer<Callback>?>

    init(_ value: UnsafeTransfer<Callback>) { self.value = Locked(value) }

    func take() -> UnsafeTransfer<Callback>? {
      value.withLock { value in
        defer { value = nil }
        return value
      }
    }
  }

  init(_ callback: UnsafeTransfer<Callback>, _ queue: DispatchQueue) {
    self.callback = Shared(callback)
    self.queue = queue
  }

  /// Whether the callback is still to be called.
  var isPending: Bool { callback.value.withLock { $0 != nil } }

  /// Calls the callback, on its queue, unless the task was cancelled.
  func finish(_ open: () throws -> Realm) {
    guard let callback = callback.take() else { return }
    callback.value(Result(catching: open))
  }

  /// Cancels the open: the callback gets the POSIX error ECANCELED, if it was not called yet.
  public func cancel() {
    guard let callback = callback.take() else { return }
    queue.async {
      callback.value(.failure(NSError(domain: NSPOSIXErrorDomain, code: Int(ECANCELED))))
    }
  }
}
