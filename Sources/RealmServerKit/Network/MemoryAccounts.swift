// SPDX-License-Identifier: Apache-2.0

// The bytes that each address and each user has taken.

#if Server
/// The bytes of many names, each under a number while a share is counted there: the shares change
/// them with each message, and so look no name up.
struct MemoryAccounts: Sendable {
  /// A name while it has members.
  struct Number: Hashable, Sendable {
    fileprivate let index: Int
  }

  private struct Account {
    let name: String
    var byteCount = 0
    var memberCount = 1
  }

  private var accounts: [Account] = []
  private var indices: [String: Int] = [:]
  /// Those of names without members.
  private var unused: [Int] = []

  /// Adds a member to a name.
  mutating func join(_ name: String) -> Number {
    if let index = indices[name] {
      accounts[index].memberCount += 1
      return Number(index: index)
    }
    let index = unused.popLast() ?? accounts.count
    if index == accounts.count {
      accounts.append(Account(name: name))
    } else {
      accounts[index] = Account(name: name)
    }
    indices[name] = index
    return Number(index: index)
  }

  /// Takes a member away, whose bytes have been given back.
  mutating func leave(_ number: Number) {
    accounts[number.index].memberCount -= 1
    guard accounts[number.index].memberCount == 0 else { return }
    assert(accounts[number.index].byteCount == 0, "more bytes are counted than members have")
    indices[accounts[number.index].name] = nil
    unused.append(number.index)
  }

  /// The bytes of a name.
  subscript(number: Number) -> Int {
    get { accounts[number.index].byteCount }
    set { accounts[number.index].byteCount = newValue }
  }
}
#endif
