// SPDX-License-Identifier: Apache-2.0

// Null where something is compared or sorted by, and contents of mixed values.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Stop: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String?
  @Persisted var other: String?
  @Persisted var number: Int?
  @Persisted var otherNumber: Int?
  @Persisted var date: Date?
  @Persisted var any: AnyRealmValue
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var names: List<String?>
  @Persisted var next: Stop?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct NullAndOrderTests {
  private let realm: Realm

  init() throws {
    realm = try TemporaryRealm([Stop.self]).open()
    let realm = realm
    try realm.write {
      let first = realm.create(
        Stop.self, value: ["id": 1, "name": "b", "number": 1, "date": Date()] as [String: Any])
      let second = realm.create(
        Stop.self, value: ["id": 2, "name": "a", "other": "", "otherNumber": 4])
      let third = realm.create(Stop.self, value: ["id": 3, "names": ["x", nil]])
      let fourth = realm.create(Stop.self, value: ["id": 4, "name": "b", "names": ["y"]])
      second.next = first
      third.next = second
      fourth.next = fourth
      first.any = .fromArray([.int(1), .string("x"), .fromArray([.none])])
      second.any = .fromDictionary(["a": .double(2), "b": .none])
      third.any = .fromArray([])
      fourth.any = .fromDictionary([:])
    }
  }

  private func ids(_ format: String, _ arguments: Any...) -> [Int] {
    let predicate = NSPredicate(format: format, argumentArray: arguments)
    return realm.objects(Stop.self).filter(predicate).map(\.id).sorted()
  }

  private func ids(_ condition: (Query<Stop>) -> Query<Bool>) -> [Int] {
    realm.objects(Stop.self).where(condition).map(\.id).sorted()
  }

  // MARK: Comparisons

  @Test func stringsAreGreaterThanNull() {
    expectTrue(ids("name > nil") == [1, 2, 4])
    expectTrue(ids("name >= nil") == [1, 2, 4])
    expectTrue(ids("name < nil").isEmpty)
    expectTrue(ids("name <= nil").isEmpty)
    #expect(ids { $0.name > nil } == [1, 2, 4])
    #expect(ids { $0.name <= nil }.isEmpty)
    expectEqual(ids("nil < name"), [1, 2, 4])
    expectTrue(ids("next.name >= nil") == [2, 3, 4])
    expectTrue(ids("ANY names > nil") == [3, 4])
  }

  @Test func numbersAndDatesAreInNoOrderWithNull() {
    for operation in ["<", "<=", ">", ">="] {
      expectTrue(ids("number \(operation) nil").isEmpty)
      expectTrue(ids("date \(operation) nil").isEmpty)
    }
  }

  @Test func twoNullsAreLevel() {
    expectTrue(ids("number >= otherNumber") == [3, 4])
    expectTrue(ids("number <= otherNumber") == [3, 4])
    expectTrue(ids("number > otherNumber").isEmpty)
    expectTrue(ids("number < otherNumber").isEmpty)
    expectEqual(ids { $0.number >= $0.otherNumber }, [3, 4])
    expectTrue(ids("name >= other").contains(3))
    expectTrue(ids("name <= other").contains(3))
  }

  // MARK: Contents

  @Test func mixedValuesAreComparedByContents() {
    let list = AnyRealmValue.fromArray([.int(1), .string("x"), .fromArray([.none])])
    expectEqual(ids { $0.any == list }, [1])
    #expect(ids { $0.any != list } == [2, 3, 4])
    expectEqual(ids("any == %@", list), [1])
    let map = AnyRealmValue.fromDictionary(["a": .int(2), "b": .none])
    expectEqual(ids { $0.any == map }, [2])
    expectTrue(ids("any != %@", map) == [1, 3, 4])
    expectEqual(ids("any == %@", ["a": 2, "b": nil] as [String: Any?]), [2])
    let array: [Any?] = [1, "x", [nil] as [Any?]]
    expectEqual(ids("any == %@", array), [1])
    expectEqual(ids("%@ == any", array), [1])
    expectTrue(ids("any != %@", array) == [2, 3, 4])
    #expect(ids("any == %@", [] as [Int]) == [3])
    expectEqual(ids { $0.any == .fromArray([]) }, [3])
    expectEqual(ids { $0.any == .fromDictionary([:]) }, [4])
    #expect(ids { $0.any == .fromArray([.int(1)]) }.isEmpty)
    #expect(ids { $0.any == .fromDictionary(["a": .int(2), "c": .none]) }.isEmpty)
    expectEqual(ids { $0.next.any == map }, [3])
  }

  // MARK: Links that lead nowhere

  @Test func linksThatLeadNowhereComeLast() throws {
    let all = realm.objects(Stop.self)
    expectEqual(all.sorted(byKeyPath: "next.name").map(\.id), [3, 2, 4, 1])
    expectEqual(all.sorted(byKeyPath: "next.name", ascending: false).map(\.id), [1, 2, 4, 3])
    expectEqual(all.sorted(byKeyPath: "next.other").map(\.id), [2, 4, 3, 1])
    expectEqual(all.sorted(byKeyPath: "next.next.number").map(\.id), [4, 3, 1, 2])
    expectEqual(all.sorted(byKeyPath: "next.any").last?.id, 1)
  }

  @Test func distinctLeavesOutWhatLinksDoNotLeadTo() throws {
    let all = realm.objects(Stop.self)
    let distinct = all.distinct(by: ["next.name"])
    expectEqual(distinct.map(\.id), [2, 3])
    expectEqual(all.filter("TRUEPREDICATE DISTINCT(next.name)").map(\.id), [2, 3])
    expectEqual(all.distinct(by: ["next.next.id"]).map(\.id), [3, 4])
    let first = try #require(all.first)
    try realm.write { first.next = first }
    expectEqual(distinct.map(\.id), [1, 3])
    try realm.write { first.next = nil }
    expectEqual(distinct.map(\.id), [2, 3])
  }

  // MARK: Texts

  @Test func mistakesAreToldAtTheCall() async {
    await #expect(processExitsWith: .success) {
      @Sendable func text(_ body: @escaping @Sendable (Results<Stop>) -> Void) -> String {
        Traps.text { body(try TemporaryRealm([Stop.self]).open().objects(Stop.self)) }
      }
      let unknown = "Cannot sort on key path 'nose': property 'Stop.nose' does not exist."
      expectEqual(text { _ = $0.sorted(byKeyPath: "nose") }, unknown)
      expectEqual(text { _ = $0.distinct(by: ["nose"]) }, unknown)
      expectEqual(
        text { _ = $0.filter("number.@avg > 1") },
        "Invalid keypath 'number.@avg': Property 'Stop.number' is not a link or collection "
          + "and can only appear at the end of a keypath. At column 1, in: number.@avg > 1")
    }
  }
}
