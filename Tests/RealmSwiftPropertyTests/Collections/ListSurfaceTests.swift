// SPDX-License-Identifier: Apache-2.0

// The edits of lists, one by one, managed and unmanaged.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct ListSurfaceTests {
  /// Runs a program over a list with 0 to 5 that a realm has, and over one that none has.
  private func edit(_ expected: [Int], _ program: (inout List<Int>) -> Void) throws {
    var unmanaged = List<Int>()
    unmanaged.append(objectsIn: 0..<6)
    program(&unmanaged)
    expectEqual(Array(unmanaged), expected, "unmanaged")
    let (realm, zoe) = try Member.zoe()
    try realm.write {
      zoe.numbers.removeAll()
      zoe.numbers.append(objectsIn: 0..<6)
      program(&zoe.numbers)
    }
    expectEqual(Array(zoe.numbers), expected, "managed")
  }

  @Test func elementsAreAdded() throws {
    try edit([0, 1, 2, 3, 4, 5, 6]) { $0.append(6) }
    try edit([0, 9, 1, 2, 3, 4, 5]) { $0.insert(9, at: 1) }
    try edit([0, 7, 8, 1, 2, 3, 4, 5]) { $0.insert(contentsOf: [7, 8], at: 1) }
  }

  @Test func elementsAreRemoved() throws {
    try edit([0, 2, 3, 4, 5]) { $0.remove(at: 1) }
    try edit([1, 2, 3, 4, 5]) { $0.removeFirst() }
    try edit([3, 4, 5]) { $0.removeFirst(3) }
    try edit([0, 1, 2, 3, 4]) { $0.removeLast() }
    try edit([0, 1]) { $0.removeLast(4) }
    try edit([0, 1, 5]) { $0.removeSubrange(2..<5) }
    try edit([0, 1]) { $0.removeSubrange(2...) }
    try edit([1, 3, 5]) { $0.remove(atOffsets: [0, 2, 4]) }
    try edit([]) { $0.removeAll() }
  }

  @Test func elementsAreReplacedAndMoved() throws {
    try edit([0, 1, 9, 3, 4, 5]) { $0.replace(index: 2, object: 9) }
    try edit([0, 1, 9, 3, 4, 5]) { $0[2] = 9 }
    try edit([8, 9, 7, 3, 4, 5]) { $0.replaceSubrange(0...2, with: [8, 9, 7]) }
    try edit([0, 9, 5]) { $0.replaceSubrange(1..<5, with: [9]) }
    try edit([1, 2, 3, 0, 4, 5]) { $0.move(from: 0, to: 3) }
    try edit([1, 3, 0, 2, 4, 5]) { $0.move(fromOffsets: [0, 2], toOffset: 4) }
    try edit([5, 1, 2, 3, 4, 0]) { $0.swapAt(0, 5) }
    try edit([5, 4, 3, 2, 1, 0]) { $0.reverse() }
    try edit([5, 4, 3, 2, 1, 0]) { $0.sort { $0 > $1 } }
  }

  /// `CollectionContents` 1.
  @Test func aLoopInATransactionGoesOverWhatWasThere() throws {
    let (realm, zoe) = try Member.zoe()
    var seen: [Int] = []
    try realm.write {
      for number in zoe.numbers {
        seen.append(number)
        zoe.numbers.append(number + 1)
      }
    }
    expectEqual(seen, [5, 3, 5])
    expectEqual(zoe.numbers.count, 6)
  }

  @Test func aLoopOverALiveListKeepsItsVersionWhenTheRealmMovesOn() throws {
    let (realm, zoe) = try Member.zoe()
    var seen: [String] = []
    for friend in zoe.friends {
      seen.append(friend.name)
      try realm.write { zoe.friends.removeLast() }
    }
    expectEqual(seen, ["Ann", "Bob", "Cid"])
    expectTrue(zoe.friends.isEmpty)
  }

  @Test func deletingWhileIteratingResultsVisitsEveryObject() throws {
    let (realm, _) = try Member.zoe()
    var count = 0
    try realm.write {
      for member in realm.objects(Member.self).where({ $0.age > 0 }) {
        realm.delete(member)
        count += 1
      }
    }
    expectEqual(count, 3)
    expectEqual(realm.objects(Member.self).count, 1)
  }

  @Test(arguments: [false, true]) func aRangeTakesAnyNumberOfElements(managed: Bool) throws {
    let realm = try TemporaryRealm().open()
    let person = Person(value: ["id": 1, "nicknames": ["a", "b", "c", "d"]])
    if managed { try realm.write { realm.add(person) } }
    let (list, others) = (person.nicknames, List<String>())
    others.append(objectsIn: ["x", "y", "z"])
    try realm.write {
      list[1..<3] = others[0..<1]
      expectEqual(Array(list), ["a", "x", "d"])
      list[0..<1] = others[0..<3]
      expectEqual(Array(list), ["x", "y", "z", "x", "d"])
      list[3..<5].sort()
      expectEqual(Array(list), ["x", "y", "z", "d", "x"])
      list[1..<2] = list[3..<5]
      expectEqual(Array(list), ["x", "d", "x", "z", "d", "x"])
    }
    expectEqual(Array(list[1..<3]), ["d", "x"])
    expectEqual(Array(others), ["x", "y", "z"])
  }
}
