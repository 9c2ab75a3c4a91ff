// SPDX-License-Identifier: Apache-2.0

// The place that a session is confined to. Everything a session returns may be used only there.
//
// Each access to a live object is checked, so the common case is one comparison: a session that is
// confined to a thread has that thread's pointer as its isolation word. A session of the main actor
// that is opened on the process's first thread has that one's: it runs nothing but the main actor
// and the main queue. All others have 0, which no thread has, and take the slow path `isCurrent`.
// Caching "this thread has passed" would be wrong for actors, queues and the main actor: they move
// between threads.
//
// A frozen session may be used everywhere. It has a place of its own for each version, so one
// session serves all users of one frozen version.

import CRealmPlatform
package import Dispatch

/// The thread, the serial queue or the actor that a session is confined to.
///
/// The main actor, the main queue and the main thread are one place.
package enum Confinement: Sendable {
  case main
  case thread(ThreadIdentity)
  case queue(QueueIdentity)
  case actor(ActorIdentity)
  /// Every place, for one version of the file.
  case frozen(version: UInt64)

  /// The place of a session that is opened here without naming a queue or an actor: the main actor
  /// where the caller runs there, else the calling thread. (Code of any other actor may continue on
  /// another thread; such sessions are opened by `Realm(actor:)`.)
  package static var current: Confinement {
    MainPlace.isCurrent ? .main : .thread(.current)
  }

  /// The place of a session opened for `queue`; traps for a concurrent one.
  package static func queue(_ queue: DispatchQueue) -> Confinement {
    if MainPlace.isMain(queue) { return .main }
    if let known = QueueIdentity.known(of: queue) { return .queue(known) }
    let kind = QueueKind(of: queue)
    if kind != .serial {
      throwRealmException(
        "Invalid queue '\(queue.label)' (\(kind.rawValue)): Realms can only be confined to serial "
          + "queues or the main queue.")
    }
    return .queue(QueueIdentity.of(queue))
  }

  /// The place of a session for the caller's actor.
  package static func actor(_ actor: isolated any Actor) -> Confinement {
    MainPlace.isCurrent ? .main : .actor(ActorIdentity(actor))
  }

  /// The word to compare with the thread pointer: the pointer of the session's thread, or a word
  /// without a match.
  var isolationWord: UInt {
    switch self {
    case .thread(let thread): thread.pointer
    case .main: realm_is_first_thread() ? realm_thread_pointer() : 0
    case .queue: 0
    case .actor(let actor): actor.thread
    case .frozen: Confinement.anyThread
    }
  }

  /// The isolation word that admits every thread. Thread pointers are aligned, so none is this.
  static var anyThread: UInt { 1 }

  /// Whether sessions of this place never change and may be used anywhere.
  package var isFrozen: Bool { if case .frozen = self { true } else { false } }

  /// Whether the caller runs in this confinement.
  package var isCurrent: Bool {
    switch self {
    case .main: MainPlace.isCurrent
    case .thread(let thread): thread.isCurrent
    case .queue(let queue): queue.isCurrent
    case .actor(let actor): actor.isCurrent
    case .frozen: true
    }
  }

  /// Whether the caller certainly runs in this confinement. Never true wrongly, but false in actors
  /// whose custom executor reports another identity. Never traps, unlike `isCurrent`: the
  /// confinement may be that of another caller.
  package var isCertainlyCurrent: Bool {
    if case .actor(let actor) = self { actor.isRunning } else { isCurrent }
  }

  /// The message for an access from elsewhere: the documented sentence, then where the session is
  /// confined and where it was accessed.
  var violationText: String {
    "Realm accessed from incorrect thread. It lives on \(self) "
      + "and was touched on \(Confinement.descriptionOfCaller)."
  }
}

// MARK: - Identity

extension Confinement: Hashable {
  /// Equal places share one live session of a file.
  package static func == (left: Confinement, right: Confinement) -> Bool {
    switch (left, right) {
    case (.main, .main): true
    case (.thread(let left), .thread(let right)): left == right
    case (.queue(let left), .queue(let right)): left === right
    case (.actor(let left), .actor(let right)): left == right
    case (.frozen(let left), .frozen(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .main: hasher.combine(0)
    case .thread(let thread): hasher.combine(thread)
    case .queue(let queue): hasher.combine(ObjectIdentifier(queue))
    case .actor(let actor): hasher.combine(actor)
    case .frozen(let version): hasher.combine(version)
    }
  }
}

extension Confinement: CustomStringConvertible {
  package var description: String {
    switch self {
    case .main: "the main actor"
    case .thread(let thread): thread.description
    case .queue(let queue): "the queue '\(queue.label)'"
    case .actor(let actor): "the actor \(actor.name)"
    case .frozen(let version): "every thread, frozen at version \(version)"
    }
  }

  /// The most specific name of where the caller runs.
  private static var descriptionOfCaller: String {
    if MainPlace.isCurrent { return "the main actor" }
    let thread = ThreadIdentity.current.description
    if let executor = ActorIdentity.currentExecutorName { return "\(executor), by \(thread)" }
    // A thread outside of the program's queues has the label of a global queue, or of that of
    // tasks.
    let label = unsafe String(cString: realm_current_queue_label())
    let isNamed =
      !label.isEmpty && !label.hasPrefix("com.apple.root.") && !label.hasPrefix("Swift global ")
    return isNamed ? "the queue '\(label)', by \(thread)" : thread
  }
}

// MARK: - The main actor, queue and thread

/// The main actor, queue and thread as one place. The present thread does not matter: under an
/// asynchronous `main` and in tests the main actor runs on worker threads.
enum MainPlace {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main actor, or in a block of the main queue.
  static var isCurrent: Bool {
    let executor = realm_current_executor()
    if executor != 0, executor == realm_main_executor() { return true }
    // Blocks of the main queue and the code of `main.swift` do not run on an executor.
    return DispatchQueue.getSpecific(key: key) == true
  }

  /// Whether `queue` is the main queue. (Its wrapper object is not always the same one.)
  static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
