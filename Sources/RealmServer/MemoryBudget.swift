// SPDX-License-Identifier: Apache-2.0

// The memory that clients can make the server take.
//
// Invariants:
// 1. What is taken is at most the limit of the process, of each address and of each user. A message
//    of the largest size fits into the smallest of them.

#if Server
import NIOConcurrencyHelpers
import RealmNetworking

/// The memory of unfinished messages and bodies.
final class MemoryBudget: Sendable {
  private struct State {
    var total = 0
    var counts: [String: Int] = [:]
  }

  private let processMax: Int
  private let addressMax: Int
  private let userMax: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameter byteCount: The limit of the process. An address has a quarter, a user an eighth,
  ///   and each enough for one message.
  init(byteCount: Int) {
    processMax = byteCount
    let largest = (16 << 20) + (1 << 20)
    addressMax = max(byteCount / 4, largest)
    userMax = max(byteCount / 8, largest)
  }

  var byteCount: Int { state.withLockedValue { $0.total } }

  /// A share of what clients have, for one socket or body.
  func share(address: String) -> MemoryShare { MemoryShare(self, address: "address " + address) }

  fileprivate func take(_ byteCount: Int, address: String, user: String?) -> Bool {
    state.withLockedValue { state in
      let names = [(address, addressMax)] + (user.map { [($0, userMax)] } ?? [])
      guard state.total + byteCount <= processMax,
        names.allSatisfy({ state.counts[$0.0, default: 0] + byteCount <= $0.1 })
      else { return false }
      state.total += byteCount
      for (name, _) in names { state.counts[name, default: 0] += byteCount }
      return true
    }
  }

  fileprivate func giveBack(_ byteCount: Int, address: String, user: String?) {
    state.withLockedValue { state in
      state.total -= byteCount
      for name in [address, user].compactMap({ $0 }) {
        let count = state.counts[name, default: 0] - byteCount
        state.counts[name] = count > 0 ? count : nil
      }
    }
  }
}

/// What one socket or body has taken.
final class MemoryShare: SocketMemory {
  private struct State {
    var byteCount = 0
    var user: String?
  }

  private let budget: MemoryBudget
  private let address: String
  private let state = NIOLockedValueBox(State())

  fileprivate init(_ budget: MemoryBudget, address: String) {
    self.budget = budget
    self.address = address
  }

  deinit {
    let (count, user) = state.withLockedValue { ($0.byteCount, $0.user) }
    if count > 0 { budget.giveBack(count, address: address, user: user) }
  }

  /// Names the user, whose limit counts for what is taken from now on.
  func setUser(_ user: String) {
    state.withLockedValue { state in
      // What came before is of the address alone, and is taken anew.
      budget.giveBack(state.byteCount, address: address, user: state.user)
      state.user = "user " + user
      if !budget.take(state.byteCount, address: address, user: state.user) { state.byteCount = 0 }
    }
  }

  func take(_ byteCount: Int) -> Bool {
    state.withLockedValue { state in
      guard budget.take(byteCount, address: address, user: state.user) else { return false }
      state.byteCount += byteCount
      return true
    }
  }

  func giveBack(_ byteCount: Int) {
    state.withLockedValue { state in
      let count = min(byteCount, state.byteCount)
      state.byteCount -= count
      budget.giveBack(count, address: address, user: state.user)
    }
  }
}
#endif
