// SPDX-License-Identifier: Apache-2.0

// The function that traps for misuse of the API.
//
// Invariants:
// 1. Every misuse check runs before locks are taken and before anything is changed, so a test hook
//    that leaves by unwinding finds the database unchanged.
// 2. Nothing but this function traps for misuse.
// 3. It prints the reason once, and no source line of the library.

import CRealmPlatform
import Foundation
public import RealmStorage

/// Called with the reason of a misuse before the trap.
///
/// It may leave without returning, for instance by ending the thread.
package nonisolated(unsafe) var trapHook: ((String) -> Void)?
// nonisolated(unsafe): set by a test before anything traps, read once by the trapping thread.

/// Traps because the program broke a rule of the API; `reason` is the documented message.
///
/// `trapHook` receives the reason first.
@usableFromInline @inline(never)
package func throwRealmException(_ reason: String) -> Never {
  unsafe trapHook?(reason)
  // The earlier output of the program comes first, where both go to one file.
  realm_flush_standard_output()
  #if canImport(Darwin)
  // Reports of crashes show the message, and group it under these words.
  fatalError("*** Terminating app due to uncaught exception 'RLMException', reason: '\(reason)'")
  #else
  // Not by `fatalError`: it would print the reason again, with a line of this file. The line of the
  // program is in the backtrace of Swift's runtime for this signal.
  FileHandle.standardError.write(Data("RealmSwift ended the program: \(reason)\n".utf8))
  abort()
  #endif
}

/// Traps because a read or an edit in memory found damaged bytes, or no memory: where the API can
/// throw, it throws the same error as `Realm.Error`.
@usableFromInline @inline(never)
package func stop(_ error: StorageError) -> Never {
  throwRealmException("\(error)")
}

/// The value of `body`; traps as `stop(_:)` does if it throws. Costs as much as `body`: nothing is
/// left of the closure.
///
/// A closure that contains a call is taken for one that throws, because of the `try`; use a loop.
@inlinable @inline(__always) @discardableResult
package func orTrap<R>(_ body: @autoclosure () throws(StorageError) -> R) -> R {
  do throws(StorageError) { return try body() } catch { stop(error) }
}
