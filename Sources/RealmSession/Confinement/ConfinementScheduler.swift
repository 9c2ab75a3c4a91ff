// SPDX-License-Identifier: Apache-2.0

// Schedules blocks in the confinement of a session, from any thread.

import Dispatch
import Foundation

/// The executor of a confinement: its queue, its actor or its run loop.
///
/// A plain thread without a running run loop has none: nothing can interrupt it, so its sessions
/// advance only when it refreshes them.
enum ConfinementScheduler: Sendable {
  case queue(DispatchQueue)
  case actor(ActorIdentity)
  case runLoop(RunLoopReference)

  /// Creates the scheduler of `confinement`; nil if it has none. For a thread this must be called
  /// on it.
  init?(for confinement: Confinement) {
    switch confinement {
    case .main: self = .queue(.main)
    case .queue(let identity): self = .queue(identity.queue)
    case .actor(let identity): self = .actor(identity)
    case .thread:
      guard let loop = RunLoopReference.running else { return nil }
      self = .runLoop(loop)
    case .frozen: return nil
    }
  }

  /// Schedules `body` in the confinement. If the actor is gone, so is everything that lived on it,
  /// and `body` is dropped.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .queue(let queue): queue.async(execute: body)
    case .actor(let identity):
      guard let actor = identity.living else { return }
      Task { await actor.runIsolated(body) }
    case .runLoop(let loop): loop.schedule(body)
    }
  }
}

extension Actor {
  fileprivate func runIsolated(_ body: @Sendable () -> Void) { body() }
}

/// A reference to the running run loop of a thread.
struct RunLoopReference: Sendable {
  // nonisolated(unsafe): only `add(_:forMode:)` is called from other threads, and the run loop
  // takes its own lock there.
  private nonisolated(unsafe) let loop: RunLoop

  /// The calling thread's run loop, if it is running now.
  static var running: RunLoopReference? {
    let loop = RunLoop.current
    return loop.currentMode == nil ? nil : RunLoopReference(loop: loop)
  }

  /// Schedules `body` on the run loop. A timer that is due wakes a sleeping loop; `RunLoop.perform`
  /// from another thread does not.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in body() }
    unsafe loop.add(timer, forMode: .common)
  }
}
