// SPDX-License-Identifier: Apache-2.0

// A thread asleep until the next commit.

#if Tools
import Foundation

/// Wakes the waiting thread, once for any number of commits.
final class CommitSignal: Sendable {
  private let condition = NSCondition()
  // nonisolated(unsafe): read and written with the condition's lock alone.
  private nonisolated(unsafe) var isRaised = false

  /// Lets the waiting thread go on.
  func raise() {
    condition.lock()
    unsafe isRaised = true
    condition.signal()
    condition.unlock()
  }

  /// Sleeps until something was committed since the last call.
  func wait() {
    condition.lock()
    while unsafe !isRaised { condition.wait() }
    unsafe isRaised = false
    condition.unlock()
  }
}
#endif
