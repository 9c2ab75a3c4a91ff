// SPDX-License-Identifier: Apache-2.0

// An actor as the owner of sessions.

import CRealmPlatform

/// The identity of an actor. It does not keep the actor: a realm is usually stored in its actor,
/// and the two would keep each other alive permanently.
package final class ActorIdentity: Sendable {
  private weak let actor: (any Actor)?
  private let address: ObjectIdentifier
  /// The result of `realm_current_executor()` inside the actor: its own address, or the identity of
  /// its custom executor.
  let executor: UInt
  let name: String
  /// The pointer of the thread that the actor's executor owns; 0 if it owns none.
  let thread: UInt

  /// The identity of the actor that the caller is isolated to.
  init(_ actor: isolated any Actor) {
    self.actor = actor
    address = ObjectIdentifier(actor)
    name = String(describing: type(of: actor))
    // A reference to an executor is two words in the Swift ABI, of which the first identifies it.
    executor = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self).0
    thread = ExecutorThread.pointer(ofExecutor: executor)
  }

  /// The identity of the executor that the caller runs on; 0 outside of tasks.
  static var currentExecutor: UInt { realm_current_executor() }

  /// The name, for messages, of the caller's actor, or of its custom executor; nil outside of
  /// actors.
  static var currentExecutorName: String? {
    // An executor's identity is a native object, which lives while its code runs.
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: currentExecutor) else { return nil }
    let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    let kind = object is any Actor ? "the actor" : "an actor of the executor"
    return "\(kind) \(type(of: object))"
  }

  /// The actor, as long as it lives.
  var living: (any Actor)? { actor }

  /// Whether the caller certainly runs isolated to this actor: never true wrongly, but false for
  /// actors whose custom executor reports another identity.
  package var isRunning: Bool {
    (realm_current_executor() == executor || thread != 0 && thread == realm_thread_pointer())
      && living != nil
  }

  /// Whether the caller runs isolated to this actor.
  ///
  /// Comparing executors decides for almost all actors. A custom executor may run an actor's code
  /// under another identity; then the actor itself is asked, which traps with the message of the
  /// runtime if the caller is not isolated to it.
  var isCurrent: Bool {
    if realm_current_executor() == executor { return true }
    let isDefaultActor = executor == UInt(bitPattern: address)
    if isDefaultActor { return false }
    guard let actor else { return false }
    actor.preconditionIsolated(
      "Realm accessed from incorrect thread. It lives on the actor \(name).")
    return true
  }
}

extension ActorIdentity: Hashable {
  /// A new actor may get the address of a dead one; it does not own the dead one's sessions.
  package static func == (left: ActorIdentity, right: ActorIdentity) -> Bool {
    left === right || (left.address == right.address && left.actor != nil && right.actor != nil)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(address) }
}
