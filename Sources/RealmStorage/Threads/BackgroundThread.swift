// SPDX-License-Identifier: Apache-2.0

// Threads of our own, for what must sleep: the cooperative pool's must not.

import CRealmPlatform
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Starts detached threads.
package enum BackgroundThread {
  private final class Body {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Whether threads are refused as by a system that has no more: for tests of that case.
  @TaskLocal package static var isRefused = false

  /// Runs `body` on a new thread.
  ///
  /// - Returns: False if the system has no thread to give; then `body` was not run. It is the
  ///   caller's decision what to do: a body without an end must not run on the caller's thread.
  package static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    if isRefused { return false }
    let argument = unsafe Unmanaged.passRetained(Body(name, body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = unsafe pthread_create(&thread, nil, threadMain, argument.toOpaque())
    guard code == 0 else {
      unsafe argument.release()
      return false
    }
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
    return true
  }

  #if canImport(Darwin)
  private static let threadMain:
    @convention(c) (UnsafeMutableRawPointer) ->
      UnsafeMutableRawPointer? = { argument in
        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        unsafe realm_name_thread(body.name)
        body.run()
        return nil
      }
  #else
  private static let threadMain:
    @convention(c) (UnsafeMutableRawPointer?) ->
      UnsafeMutableRawPointer? = { argument in
        guard let argument = unsafe argument else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        unsafe realm_name_thread(body.name)
        body.run()
        return nil
      }
  #endif
}

/// Lets one thread sleep until another has a value for it.
@safe
package final class Handover<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)
  // Points to an atomic that lives as long as this object.
  nonisolated(unsafe) private let word: UnsafeMutablePointer<Atomic<UInt32>>

  package init() {
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: Atomic(0))
  }

  deinit {
    unsafe word.deinitialize(count: 1)
    unsafe word.deallocate()
  }

  /// Wakes the thread.
  package func give(_ new: Value) {
    value.withLock { $0 = new }
    unsafe word.pointee.store(1, ordering: .sequentiallyConsistent)
    unsafe realm_wake_word(UnsafeRawPointer(word), false)
  }

  /// Sleeps until there is a value.
  package func wait() -> Value {
    while true {
      if let value = value.withLock({ $0 }) { return value }
      unsafe realm_wait_on_word(UnsafeRawPointer(word), 0, 1_000_000_000, false)
    }
  }
}
