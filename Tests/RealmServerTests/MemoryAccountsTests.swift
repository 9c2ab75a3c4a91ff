// SPDX-License-Identifier: Apache-2.0

// The bytes of names while they have members.

#if Server
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

struct MemoryAccountsTests {
  /// Members come, take bytes, give them back and leave, in any order. Each name has the bytes of
  /// its members, and none of those who have left.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func namesHaveTheBytesOfTheirMembers(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var accounts = MemoryAccounts()
    var members: [(name: String, number: MemoryAccounts.Number, byteCount: Int)] = []
    for _ in 0..<300 {
      if members.isEmpty || random.percent(30) {
        let name = random.pick(["a", "b", "c", "d"])
        members.append((name, accounts.join(name), 0))
      } else if random.percent(50) {
        let index = random.pick(Array(members.indices))
        let count = random.pick([-members[index].byteCount, 1, 7])
        members[index].byteCount += count
        accounts[members[index].number] += count
      } else {
        let member = members.remove(at: random.pick(Array(members.indices)))
        accounts[member.number] -= member.byteCount
        accounts.leave(member.number)
      }
      for (name, number, _) in members {
        let sum = members.filter { $0.name == name }.reduce(0) { $0 + $1.byteCount }
        expectEqual(accounts[number], sum)
      }
    }
  }
}
#endif
