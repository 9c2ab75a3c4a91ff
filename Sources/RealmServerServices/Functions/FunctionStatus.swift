// SPDX-License-Identifier: Apache-2.0

// What the operator sees of a function.

#if Server
package import RealmSyncProtocol

/// A function of an app, with its calls since the start of the server.
package struct FunctionStatus: Hashable, Sendable {
  package let name: String
  /// Whether an address is asked; otherwise it is a closure of the program.
  package let isWebhook: Bool
  /// Whether clients cannot call it.
  package let isPrivate: Bool
  package var calls = Calls()

  /// The calls of a function that have ended.
  package struct Calls: Hashable, Sendable {
    package var count = 0
    /// Those without a result, calls beyond the limits included.
    package var failedCount = 0
    package var last: OriginTimestamp?
    /// The last failure; nil if there was none.
    package var error: String?
    package var errorTime: OriginTimestamp?

    mutating func note(_ failure: FunctionError?, at time: OriginTimestamp) {
      count += 1
      last = time
      guard let failure else { return }
      failedCount += 1
      error = "\(failure)"
      errorTime = time
    }
  }
}
#endif
