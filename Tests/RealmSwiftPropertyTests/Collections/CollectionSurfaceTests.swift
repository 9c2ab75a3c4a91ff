// SPDX-License-Identifier: Apache-2.0

// What all collections have in common, examined on each kind of them.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct CollectionSurfaceTests {
  private let realm: Realm
  private let zoe: Member

  init() throws { (realm, zoe) = try Member.zoe() }

  /// Expects Ann, Bob and Cid.
  private func expectMembers<C: RealmCollection>(_ members: C) where C.Element == Member {
    let names = ["Ann", "Bob", "Cid"]
    expectEqual(members.map(\.name), names)
    expectEqual(members.startIndex, 0)
    expectEqual(members.endIndex, 3)
    expectEqual(members.count, 3)
    expectEqual(members.index(after: 0), 1)
    expectEqual(members.index(before: 1), 0)
    expectEqual(members.index(0, offsetBy: 2), 2)
    expectEqual(members.distance(from: 0, to: 3), 3)
    expectEqual(Array(members.indices), [0, 1, 2])
    expectFalse(members.isEmpty)
    let first: C.ElementType? = members.first
    expectEqual(first?.name, "Ann")
    expectEqual(members.last?.name, "Cid")
    expectEqual(members[1].name, "Bob")
    expectEqual(members[1..<3].map(\.name), ["Bob", "Cid"])
    expectEqual(members.reversed().map(\.name), names.reversed())
    expectEqual(members.objects(at: [0, 2]).map(\.name), ["Ann", "Cid"])
    var iterator = members.makeIterator()
    expectEqual(iterator.next()?.name, "Ann")
    expectEqual(members.realm, realm)
    expectFalse(members.isInvalidated)
    expectFalse(members.isFrozen)
    expectEqual(members, members)
    expectTrue(members.freeze().isFrozen)
    expectEqual(members.freeze().thaw()?.map(\.name), names)
    #expect(members.description.contains("[2] Member {\n\t\tname = Cid;"), "\(members.description)")
  }

  private func expectSearches<C: RealmCollection>(_ members: C) where C.Element == Member {
    expectEqual(members.index(of: members[2]), 2)
    expectTrue(members.index(of: Member()) == nil)
    expectTrue(members.index(of: zoe) == nil)
    expectEqual(members.index(matching: "age < %@", 30), 1)
    expectEqual(members.index(matching: NSPredicate(format: "name == %@", "Cid")), 2)
    expectEqual(members.index(matching: { $0.age < 0 }), nil)
    expectEqual(members.index(matching: { $0.age == 25 }), 2)
  }

  private func expectQueries<C: RealmCollection>(_ members: C) where C.Element == Member {
    expectEqual(members.filter("age > %d", 20).map(\.name), ["Ann", "Cid"])
    expectEqual(members.filter(NSPredicate(format: "height == nil")).map(\.name), ["Bob"])
    expectEqual(members.where { $0.name == "Cid" }.count, 1)
    expectEqual(members.sorted(byKeyPath: "age").map(\.name), ["Bob", "Cid", "Ann"])
    expectEqual(members.sorted(byKeyPath: "age", ascending: false).first?.name, "Ann")
    expectEqual(members.sorted(by: \.age).first?.name, "Bob")
    let descriptors = [SortDescriptor(keyPath: "height", ascending: false), "name"]
    expectEqual(members.sorted(by: descriptors).map(\.name), ["Cid", "Ann", "Bob"])
    expectEqual(members.distinct(by: ["friends.@count"]).count, 1)
    expectEqual(members.distinct(by: [\Member.name]).count, 3)
  }

  private func expectAggregates<C: RealmCollection>(_ members: C) where C.Element == Member {
    expectEqual(members.min(ofProperty: "age"), 20)
    expectEqual(members.max(ofProperty: "age"), 30)
    expectEqual(members.sum(ofProperty: "age"), 75)
    expectEqual(members.average(ofProperty: "age"), 25.0)
    expectEqual(members.min(of: \.age), 20)
    expectEqual(members.max(of: \.age), 30)
    expectEqual(members.sum(of: \.age), 75)
    expectEqual(members.average(of: \.age), 25)
    expectEqual(members.min(of: \.height), 1.5)
    expectEqual(members.max(of: \.height), 2.5)
    expectEqual(members.sum(of: \.height), 4)
    expectEqual(members.average(of: \.height), 2)
    expectEqual(members.where { $0.age > 99 }.min(of: \.age), nil)
    expectEqual(members.where { $0.age > 99 }.sum(of: \.age), 0)
  }

  @Test func listsOfObjects() {
    expectMembers(zoe.friends)
    expectSearches(zoe.friends)
    expectQueries(zoe.friends)
    expectAggregates(zoe.friends)
  }

  @Test func setsOfObjects() {
    expectMembers(zoe.circle)
    expectQueries(zoe.circle)
    expectAggregates(zoe.circle)
    expectEqual(zoe.circle.realm, realm)
    expectTrue(MutableSet<Int>().realm == nil)
    expectEqual(Set(zoe.circle).count, 3)
  }

  @Test func results() {
    let results = realm.objects(Member.self).where { $0.name != "Zoe" }
    expectMembers(results)
    expectSearches(results)
    expectQueries(results)
    expectAggregates(results)
    expectTrue(results == results)
    expectTrue(results != realm.objects(Member.self))
  }

  @Test func backlinks() {
    expectMembers(zoe.followers)
    expectSearches(zoe.followers)
    expectQueries(zoe.followers)
    expectAggregates(zoe.followers)
    expectTrue(zoe.followers == zoe.followers)
    expectTrue(zoe.followers != zoe.friends[0].followers)
    expectFalse(zoe.followers.isInvalidated)
    var names: [String] = []
    for follower in zoe.followers { names.append(follower.name) }
    expectEqual(names, ["Ann", "Bob", "Cid"])
  }

  @Test func erasedCollections() {
    for erased in [AnyRealmCollection(zoe.friends), AnyRealmCollection(zoe.followers)] {
      expectMembers(erased)
      expectSearches(erased)
      expectQueries(erased)
      expectAggregates(erased)
    }
  }

  @Test func scalars() throws {
    let numbers = zoe.numbers
    expectEqual(numbers.min(), 3)
    expectEqual(numbers.max(), 5)
    expectEqual(numbers.sum(), 13)
    expectEqual(numbers.average(), 13.0 / 3)
    expectEqual(Array(numbers.sorted()), [3, 5, 5])
    expectEqual(Array(numbers.sorted(ascending: false)), [5, 5, 3])
    expectEqual(Array(numbers.distinct()), [5, 3])
    expectEqual(numbers.index(of: 3), 1)
    expectEqual(numbers.index(matching: "self < 5"), 1)
    expectEqual(zoe.tags.sorted().last, "y")
    try realm.write { zoe.numbers.removeAll() }
    expectTrue(numbers.min() == nil)
    expectEqual(numbers.sum(), 0)
    #expect(numbers.average() as Double? == nil)
  }

  @Test func mappingAndFilteringByClosureIsLazy() {
    var calls = 0
    let doubled = zoe.numbers.map { number in
      calls += 1
      return number * 2
    }
    expectEqual(calls, 0)
    expectEqual(Array(doubled), [10, 6, 10])
    expectEqual(calls, 3)
    let large = zoe.numbers.filter { number in
      calls += 1
      return number > 4
    }
    expectEqual(calls, 3)
    expectEqual(Array(large), [5, 5])
  }

  @Test func slicesAreLive() throws {
    let slice = zoe.friends[0..<2]
    try realm.write { zoe.friends.swapAt(0, 2) }
    expectEqual(slice.map(\.name), ["Cid", "Bob"])
  }

  @Test func equalityIsThatOfTheBacking() throws {
    let (first, second) = (List<Int>(), List<Int>())
    first.append(objectsIn: [1, 2])
    expectTrue(first != second)
    second.append(objectsIn: [1, 2])
    expectTrue(first == second)
    expectTrue(zoe.friends == zoe.friends)
    expectTrue(zoe.friends != zoe.friends[0].friends)
    let (oneMap, otherMap) = (Map<String, Int>(), Map<String, Int>())
    oneMap["a"] = 1
    expectTrue(oneMap != otherMap)
    expectTrue(zoe.scores == zoe.scores)
    otherMap["a"] = 1
    expectTrue(oneMap == otherMap)
    expectTrue(zoe.scores != oneMap)
  }

  @Test func descriptionsStopAtAHundredElements() throws {
    try realm.write { zoe.numbers.append(objectsIn: 0..<200) }
    let text = withoutAddresses(zoe.numbers)
    expectTrue(text.hasPrefix("List<int> <0x> (\n\t[0] 5,\n\t[1] 3,"), "\(text.prefix(60))")
    #expect(
      text.hasSuffix("\t[99] 96\n\t... 103 objects skipped.\n)")
        || text.hasSuffix(
          "\t[99] 96,\n\t... 103 objects skipped.\n)"),
      "\(text.suffix(60))")
  }

  @MainActor @Test func observersOfKeyPathsHearOfThoseOnly() throws {
    let (realm, zoe) = try Member.zoe()
    var changes = 0
    let token = realm.objects(Member.self).observe(keyPaths: [\Member.name]) { change in
      if case .update = change { changes += 1 }
    }
    realm.refresh()
    try realm.write { zoe.age = 7 }
    realm.refresh()
    expectEqual(changes, 0)
    try realm.write { zoe.name = "Zia" }
    realm.refresh()
    expectEqual(changes, 1)
    token.invalidate()
  }
}
