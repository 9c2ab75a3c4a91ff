// SPDX-License-Identifier: Apache-2.0

// News of events about users, for their triggers.

#if Server
import RealmStorage

/// Wakes the readers of events about users, after these are on the disk.
package final class AccountNews: Sendable {
  private let observers = Locked<[Int: @Sendable () -> Void]>([:])
  private let lastNumber = Locked(0)

  package init() {}

  /// Adds an observer; returns the number to remove it by.
  package func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
    let number = lastNumber.withLock { number in
      number += 1
      return number
    }
    observers.withLock { $0[number] = observer }
    return number
  }

  /// Removes an observer by its number.
  package func remove(_ number: Int) { observers.withLock { $0[number] = nil } }

  func report() {
    for observer in observers.withLock({ Array($0.values) }) { observer() }
  }
}
#endif
