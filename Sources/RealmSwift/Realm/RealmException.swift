// SPDX-License-Identifier: Apache-2.0

// The one way in which misuse of the API ends.
//
// Invariants:
// 1. Every misuse check runs before locks are taken and before anything is changed, so a test hook
//    that leaves by unwinding finds the engine as it was.
// 2. Nothing but this function ends the process for misuse.

import Foundation
public import RealmStorage

/// Ends the process because the program broke a rule of the API; `reason` is the documented text.
///
/// Tests may see the text first through `_RealmTesting.trapHook`.
@usableFromInline @inline(never)
func throwRealmException(_ reason: String) -> Never {
  _RealmTesting.trapHook?(reason)
  FileHandle.standardError.write(
    Data("*** Terminating app due to uncaught exception 'RLMException', reason: '\(reason)'\n".utf8)
  )
  fatalError(reason)
}

/// Ends the process because a read or an edit in memory found damaged bytes, or no memory: where
/// the API can throw, `Realm.Error` says the same.
@usableFromInline @inline(never)
func stop(_ error: StorageError) -> Never {
  throwRealmException("\(error)")
}
