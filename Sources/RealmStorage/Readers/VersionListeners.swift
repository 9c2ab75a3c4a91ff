// SPDX-License-Identifier: Apache-2.0

// Notifies the listeners of this process of new versions.
//
// A commit of this process calls the listeners itself. For commits of other processes one thread
// sleeps on the wake word of the shared memory, from the first listener on. Own commits do not wake
// it: that would be a system call and a change of threads for nothing.
//
// 1. `told` only grows, and listeners are called for a version only by who made `told` that
//    version. The committing thread does so before it publishes the version, so that the waiting
//    thread never notifies of the same version.
// 2. Listeners are called off the lock, so they may add and cancel listeners.

import Synchronization

/// The listeners of one open file.
final class VersionListeners: Sendable {
  private struct State {
    var listeners: [VersionListener.Identifier: @Sendable (UInt64) -> Void] = [:]
    var nextIdentifier: VersionListener.Identifier = 0
    var told: UInt64 = 0
    var hasThread = false
    var isStopped = false

    mutating func claim(_ version: UInt64) -> Bool {
      guard told < version else { return false }
      told = version
      return true
    }
  }

  private let state = Locked(State())

  func add(
    _ body: @escaping @Sendable (UInt64) -> Void, _ memory: SharedMemory, _ newest: UInt64
  ) throws(StorageError) -> VersionListener {
    let identifier = try state.withLock { state throws(StorageError) in
      if !state.hasThread {
        // The thread waits for this lock before it reads anything.
        guard BackgroundThread.start(named: "realm-listener", { [self] in watch(memory) }) else {
          throw .threadUnavailable(
            path: memory.file.path, purpose: "which waits for commits of other processes")
        }
        state.hasThread = true
        state.told = max(state.told, newest)
        memory.addSleeper()
      }
      let identifier = state.nextIdentifier
      state.nextIdentifier += 1
      state.listeners[identifier] = body
      return identifier
    }
    return VersionListener(self, identifier)
  }

  func remove(_ identifier: VersionListener.Identifier) {
    // The closure is destroyed after the lock is released: its captures may own a listener.
    let removed = state.withLock { $0.listeners.removeValue(forKey: identifier) }
    withExtendedLifetime(removed) {}
  }

  /// Claims the notification of a version. False if it was claimed already.
  private func claim(_ version: UInt64) -> Bool { state.withLock { $0.claim(version) } }

  /// Claims the notification of a version that is about to be published.
  ///
  /// - Returns: Whether it was not claimed yet, and how many sleeping threads need not be woken for
  ///   it.
  func claimOwn(_ version: UInt64) -> (isClaimed: Bool, sleepers: Int) {
    state.withLock { ($0.claim(version), $0.hasThread ? 1 : 0) }
  }

  func tell(_ version: UInt64) {
    let bodies = state.withLock { state in
      state.listeners.sorted { $0.key < $1.key }.map(\.value)
    }
    for body in bodies { body(version) }
  }

  /// Ends the thread.
  func stop(_ memory: SharedMemory) {
    let hasThread = state.withLock { state in
      state.isStopped = true
      return state.hasThread
    }
    guard hasThread else { return }
    memory.removeSleeper()
    memory.wake()
  }

  private func watch(_ memory: SharedMemory) {
    while true {
      let word = unsafe memory.wakeWord.pointee.load(ordering: .sequentiallyConsistent)
      let newest = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
      if state.withLock({ $0.isStopped }) { return }
      if claim(newest) { tell(newest) }
      memory.wait(whileWakeWordIs: word)
    }
  }
}

/// Keeps a listener for new versions registered.
package final class VersionListener: Sendable {
  /// A dictionary whose keys are of a type that no dictionary of the process had before costs a
  /// search of all conformances, which is a thirtieth of a program's start. Others have `Int`.
  typealias Identifier = Int

  private let listeners: VersionListeners
  private let identifier: Identifier

  init(_ listeners: VersionListeners, _ identifier: Identifier) {
    self.listeners = listeners
    self.identifier = identifier
  }

  deinit { cancel() }

  /// Ends the listening. A call that has begun on another thread may still be running.
  package func cancel() { listeners.remove(identifier) }
}
