// SPDX-License-Identifier: Apache-2.0

// Handing what the compiler would keep back to other threads, for tests of frozen things.

import Foundation

/// A value that several threads use.
package struct Everywhere<Value>: @unchecked Sendable {
  // Sendable: tests put frozen things here, or break the rule on purpose to see it enforced.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

/// Runs `body` on a thread of its own and waits for it.
package func onAnotherThread<Value>(_ body: @escaping @Sendable () throws -> Value) throws -> Value
{
  // The thread writes before the semaphore is signalled, the caller reads after that.
  nonisolated(unsafe) var result: Result<Value, any Error>?
  let done = DispatchSemaphore(value: 0)
  Thread {
    result = Result { try body() }
    done.signal()
  }.start()
  done.wait()
  return try result!.get()
}
