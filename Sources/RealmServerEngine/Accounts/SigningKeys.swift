// SPDX-License-Identifier: Apache-2.0

// The keys of a server's tokens, which an operator may replace while users are logged in.
//
// Invariants:
// 1. New tokens have the signature of the present key alone. Those of an earlier key are accepted
//    until its end, and not after it.

import RealmStorage

/// The present key, and earlier ones with tokens that are not over yet.
package final class SigningKeys: Sendable {
  /// A key that signs no more.
  package struct Earlier: Sendable {
    let signer: any MessageSigner
    /// Seconds since 1970.
    let end: Int64

    package init(_ signer: any MessageSigner, end: Int64) {
      self.signer = signer
      self.end = end
    }
  }

  private struct State {
    var signer: any MessageSigner
    var earlier: [Earlier]
  }

  private let state: Locked<State>

  package init(_ signer: any MessageSigner, earlier: [Earlier] = []) {
    state = Locked(State(signer: signer, earlier: earlier))
  }

  /// Takes other keys, for all tokens from now on.
  package func replace(by signer: any MessageSigner, earlier: [Earlier]) {
    state.withLock { $0 = State(signer: signer, earlier: earlier) }
  }

  /// The key of new tokens.
  var present: any MessageSigner { state.withLock { $0.signer } }

  /// Whether a key that is accepted at a time, in seconds since 1970, has signed a message.
  func isValid(_ signature: [UInt8], of message: [UInt8], now: Int64) -> Bool {
    let state = state.withLock { $0 }
    if state.signer.isValid(signature, of: message) { return true }
    return state.earlier.contains { $0.end > now && $0.signer.isValid(signature, of: message) }
  }
}
