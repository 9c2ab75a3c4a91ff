// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean of collections that no realm has.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct UnmanagedFoldTests {
  private func member() -> Member {
    Member(
      value: [
        "friends": [
          ["name": "Ann", "age": 30, "height": 1.5], ["name": "Bob", "age": 20],
          ["name": "Cid", "age": 25, "height": 2.5],
        ],
        "scores": ["a": 3, "b": 1, "c": 2], "marks": ["a": 1.5, "b": nil, "c": 2.5],
        "numbers": [5, 3, 5],
      ] as [String: Any])
  }

  /// What a member's collections fold to.
  private func folds(_ member: Member) -> [Double?] {
    let friends = member.friends
    return [
      friends.min(of: \.age).map { Double($0) }, friends.max(of: \.height) ?? nil,
      Double(friends.sum(of: \.age)), friends.average(of: \.height) ?? nil,
      friends.average(ofProperty: "age"),
      friends.sum(ofProperty: "age") as Double, friends.sum(of: \.height),
      member.numbers.min().map { Double($0) }, member.numbers.average(),
      Double(member.numbers.sum()), Double(member.scores.sum()), member.scores.average(),
      member.marks.min() ?? nil, member.marks.max() ?? nil, member.marks.sum(),
      member.marks.average(),
    ]
  }

  @Test func unmanagedFoldsAreThoseOfTheDatabase() throws {
    let (unmanaged, managed) = (member(), member())
    let realm = try TemporaryRealm([Member.self]).open()
    try realm.write { realm.add(managed) }
    expectEqual(folds(unmanaged), folds(managed))
    expectEqual(folds(Member()), folds(try realm.write { realm.create(Member.self) }))
    expectEqual(folds(unmanaged).prefix(4), [20, 2.5, 75, 2])
  }

  @Test func mapsOfObjectsAndSetsAreFolded() {
    let map = Map<String, Member?>()
    map["a"] = Member(value: ["age": 4])
    map["b"] = .some(nil)
    map["c"] = Member(value: ["age": 6])
    expectEqual(map.sum(of: \.age), 10)
    expectEqual(map.max(of: \.age), 6)
    expectEqual(map.average(of: \.age), 5)
    let set = MutableSet<Int?>()
    set.insert(objectsIn: [2, nil, 4])
    expectEqual(set.sum(), 6)
    expectEqual(set.min(), 2)
    expectEqual(set.average(), 3.0)
  }

  @Test func mixedValuesAreFolded() {
    let list = List<AnyRealmValue>()
    list.append(objectsIn: [.int(2), .string("x"), .none, .double(0.5)])
    expectEqual(list.min(), .double(0.5))
    expectEqual(list.max(), .int(2))
    expectEqual(list.sum(), .double(2.5))
    let map = Map<String, AnyRealmValue>()
    expectEqual(map.sum(), .int(0))
    expectTrue(map.min() == nil)
    map["a"] = .int(4)
    expectEqual(map.sum(), .double(4))
    expectEqual(map.average(), .double(4))
  }

  @Test func objectsOfARealmMayBeInUnmanagedLists() throws {
    let (_, zoe) = try Member.zoe()
    let list = List<Member>()
    list.append(objectsIn: zoe.friends)
    expectEqual(list.sum(of: \.age), 75)
    expectEqual(list.min(of: \.height), 1.5)
    expectEqual(Member().followers.max(of: \.age), nil)
  }

  static let cases: [MisuseCase] = [
    MisuseCase(
      "anUnknownProperty",
      "Invalid property name: property 'nope' not found in object of type 'Member'"
    ) { _ = List<Member>().min(ofProperty: "nope") as Int? },
    MisuseCase("aText", "sum is not supported for string property 'Member.name'") {
      _ = List<Member>().sum(ofProperty: "name") as Int
    },
  ]

  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in
      try Self.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }
}
