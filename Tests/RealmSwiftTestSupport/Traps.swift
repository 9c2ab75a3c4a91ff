// SPDX-License-Identifier: Apache-2.0

// The texts of several misuses from one program.

import Foundation
@_spi(RealmTesting) import RealmSwift
import Synchronization

/// Misuses one after the other, each on a thread that stays where it was refused.
///
/// For exit tests only: the hook is that of the process, and the threads never end.
package enum Traps {
  private static let texts = Mutex<[String]>([])
  private static let refused = DispatchSemaphore(value: 0)

  /// The text that `body` is refused with; "nothing" if it is not, and the error if it throws.
  package static func text(_ body: @escaping @Sendable () throws -> Void) -> String {
    _RealmTesting.trapHook = { text in
      texts.withLock { $0.append(text) }
      refused.signal()
      while true { sleep(1000) }
    }
    let thread = Thread {
      let outcome: String
      do {
        try body()
        outcome = "nothing"
      } catch { outcome = "threw \(error)" }
      texts.withLock { $0.append(outcome) }
      refused.signal()
    }
    thread.stackSize = 4 << 20
    thread.start()
    refused.wait()
    return texts.withLock { $0.removeLast() }
  }
}
