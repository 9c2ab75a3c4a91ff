// SPDX-License-Identifier: Apache-2.0

// Who may write next.
//
// One write transaction exists at a time, in all processes. Between processes the lock is a byte
// lock of the lock file: it belongs to the open file, so that any thread may release what another
// took, and the kernel drops it when the process dies. Inside the process a first-in, first-out
// queue stands in front of it.
//
// 1. `isBusy` is true while somebody of this process holds the right to write or is about to get
//    it. Only who set it to true, or was handed it, touches the byte lock.
// 2. No user code runs under the mutex: a waiter is taken out under it and called after.
// 3. Nobody sleeps on behalf of a waiter but a thread of our own, and only if another process
//    holds the byte lock.

import CRealmPlatform
import Synchronization

/// The in-process queue in front of the writer lock.
final class WriterQueue: Sendable {
  private struct State {
    var isBusy = false
    var waiters: [WriteRequest] = []
  }

  private let state = Guarded(State())
  private let lockFile: any StorageFile

  init(lockFile: any StorageFile) { self.lockFile = lockFile }

  /// Queues a request. If it is the only one and no other process writes, it is granted before this
  /// returns.
  func add(_ request: WriteRequest) {
    let isFirst = state.withLock { state in
      state.waiters.append(request)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isFirst { lockForFirstWaiter() }
  }

  /// Takes a request out of the queue. False if it is not there any more.
  func remove(_ request: WriteRequest) -> Bool {
    state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === request }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
  }

  /// Gives the right to write to the next waiter. The caller has it.
  func release() {
    if unlock() { lockForFirstWaiter() }
  }

  /// Releases the lock; returns whether a writer waits for it.
  private func unlock() -> Bool {
    state.withLock { state in
      lockFile.unlockByte(at: SharedMemory.writerLockOffset)
      state.isBusy = !state.waiters.isEmpty
      return state.isBusy
    }
  }

  /// Obtains the lock for the first waiter. Waiters who cannot get it are told why, one after the
  /// other: however many they are, not in calls within calls.
  private func lockForFirstWaiter() {
    var goesOn = true
    while goesOn {
      do throws(StorageError) {
        if try lockFile.lockByte(at: SharedMemory.writerLockOffset, waits: false) {
          grantToFirstWaiter()
        } else {
          try lockOnNewThread()
        }
        goesOn = false
      } catch {
        goesOn = refuseFirstWaiter(error)
      }
    }
  }

  private func lockOnNewThread() throws(StorageError) {
    // The thread keeps the queue alive until the other process is done.
    let hasThread = BackgroundThread.start(named: "realm-writer") { [self] in
      do throws(StorageError) {
        _ = try lockFile.lockByte(at: SharedMemory.writerLockOffset, waits: true)
        grantToFirstWaiter()
      } catch {
        if refuseFirstWaiter(error) { lockForFirstWaiter() }
      }
    }
    guard hasThread else {
      throw .threadUnavailable(
        path: lockFile.path, purpose: "which waits for the writer of another process")
    }
  }

  private func grantToFirstWaiter() {
    let next = state.withLock { state -> WriteRequest? in
      if state.waiters.isEmpty {
        lockFile.unlockByte(at: SharedMemory.writerLockOffset)
        state.isBusy = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.deliver(.success(()))
  }

  /// Tells the first waiter why it does not get the lock; whether another one waits.
  private func refuseFirstWaiter(_ failure: StorageError) -> Bool {
    let next = state.withLock { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() }
    next?.deliver(.failure(failure))
    return unlock()
  }
}

/// A place in the queue of writers.
package final class WriteRequest: Sendable {
  private let queue: WriterQueue
  private let granted: @Sendable (Result<Void, StorageError>) -> Void

  init(
    _ queue: WriterQueue, granted: @escaping @Sendable (Result<Void, StorageError>) -> Void
  ) {
    self.queue = queue
    self.granted = granted
  }

  func deliver(_ result: Result<Void, StorageError>) { granted(result) }

  /// Leaves the queue; others keep their places.
  ///
  /// - Returns: False if the request was granted, or is being granted now: then its callback has
  ///   been or will be called, and whoever gets the transaction must end it.
  @discardableResult
  package func cancel() -> Bool { queue.remove(self) }
}
