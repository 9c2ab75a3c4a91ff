// SPDX-License-Identifier: Apache-2.0

// Sessions with an open transaction that a thread keeps even if the program has no reference to
// them.
//
// Invariants:
// 1. A keeper belongs to one thread, its only user. It is released with the thread, and its
//    contents with it: an abandoned transaction must not keep all other writers waiting.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The sessions that the calling thread keeps alive.
final class ThreadKeeper {
  private var sessions: [Session] = []

  /// Keeps a session of the calling thread until it is released, or the thread ends.
  static func keep(_ session: Session) { current.sessions.append(session) }

  /// Releases a session that the calling thread keeps.
  static func release(_ session: Session) {
    let keeper = current
    guard let index = keeper.sessions.lastIndex(where: { $0 === session }) else { return }
    keeper.sessions.remove(at: index)
  }

  private static var current: ThreadKeeper {
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<ThreadKeeper>.fromOpaque(known).takeUnretainedValue()
    }
    let keeper = ThreadKeeper()
    unsafe pthread_setspecific(key, Unmanaged.passRetained(keeper).toOpaque())
    return keeper
  }

  /// The key of the thread-specific value that holds each thread's keeper.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    #if canImport(Darwin)
    unsafe pthread_key_create(&key) { unsafe Unmanaged<ThreadKeeper>.fromOpaque($0).release() }
    #else
    unsafe pthread_key_create(&key) { keeper in
      if let keeper = unsafe keeper { unsafe Unmanaged<ThreadKeeper>.fromOpaque(keeper).release() }
    }
    #endif
    return key
  }()
}
