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
    if let synchronisation = configuration.synchronisation {
      task.download(configuration, synchronisation, callbackQueue)
    } else {
      task.open(configuration, callbackQueue)
    }
    return task
  }

  /// The same type, as it is called where realms' types are named within `Realm`.
  public typealias AsyncOpenTask = RealmSwift.AsyncOpenTask
}

extension AsyncOpenTask {
  /// Opens the realm once the server's data are here.
  fileprivate func download(
    _ configuration: Realm.Configuration, _ synchronisation: any Synchronisation,
    _ queue: DispatchQueue
  ) {
    let work = Task {
      do {
        let file = try await synchronisation.download(configuration, .always) { report($0) }
        open(configuration, queue, keeping: file)
      } catch {
        fail(error)
      }
    }
    setWork(work)
  }

  /// Opens the realm in the background.
  fileprivate func open(
    _ configuration: Realm.Configuration, _ callbackQueue: DispatchQueue,
    keeping file: SharedFile? = nil
  ) {
    let task = self
    RealmCore.openingQueue.async {
      guard task.isPending else { return }
      let confinement = Confinement.queue(callbackQueue)
      let opened = OpenedCore(opening: configuration, for: confinement)
      callbackQueue.async {
        task.finish {
          let opened = opened.take()
          // Other code on the queue may have opened the realm meanwhile.
          if let core = try RealmCache.livingCore(configuration, confinement) {
            // It shows what was downloaded.
            _ = try core.refresh()
            return Realm(core: core)
          }
          return Realm(core: try RealmCache.add(try opened.get()))
        }
        withExtendedLifetime(file) {}
      }
    }
  }
}

/// A realm that is being opened.
public struct AsyncOpenTask: Sendable {
  typealias Callback = (Result<Realm, any Swift.Error>) -> Void

  private let queue: DispatchQueue
  /// The callback; nil once it was called, or is about to be.
  private let callback: Shared
  private let progress = Locked(ProgressHandlers())

  /// The handlers of the download, and the download itself.
  private struct ProgressHandlers {
    var handlers: [(queue: DispatchQueue, block: @Sendable (TransferProgress) -> Void)] = []
    var work: Task<Void, Never>?
    var isCancelled = false
    /// What handlers have heard last.
    var last: TransferProgress?
  }

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

  /// Calls a block on a queue with the progress of the download, as it is and as it goes on.
  func addHandler(_ queue: DispatchQueue, _ block: @escaping @Sendable (TransferProgress) -> Void) {
    let isPending = isPending
    progress.withLock { state in
      state.handlers.append((queue, block))
      if isPending, let last = state.last { queue.async { block(last) } }
    }
  }

  fileprivate func report(_ progress: TransferProgress) {
    self.progress.withLock { state in
      state.last = progress
      for (queue, block) in state.handlers { queue.async { block(progress) } }
    }
  }

  fileprivate func setWork(_ work: Task<Void, Never>) {
    let isCancelled = progress.withLock { state in
      state.work = work
      return state.isCancelled
    }
    if isCancelled { work.cancel() }
  }

  fileprivate func fail(_ error: any Error) {
    guard let callback = callback.take() else { return }
    queue.async { callback.value(.failure(error)) }
  }

  /// Cancels the open: the callback gets the POSIX error ECANCELED, if it was not called yet.
  public func cancel() {
    let work = progress.withLock { state in
      state.isCancelled = true
      return state.work
    }
    work?.cancel()
    guard let callback = callback.take() else { return }
    queue.async {
      callback.value(.failure(NSError(domain: NSPOSIXErrorDomain, code: Int(ECANCELED))))
    }
  }
}
