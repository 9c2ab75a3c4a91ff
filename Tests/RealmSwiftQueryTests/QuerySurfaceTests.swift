// SPDX-License-Identifier: Apache-2.0

// Conditions between two columns, and on collections, each evaluated once.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct QuerySurfaceTests {
  private let all: Results<Member>

  init() throws {
    let (realm, zoe) = try Member.zoe()
    try realm.write { zoe.age = 3 }
    all = realm.objects(Member.self).sorted(byKeyPath: "name")
  }

  private func names(_ condition: (Query<Member>) -> Query<Bool>) -> [String] {
    all.where(condition).map(\.name)
  }

  @Test func columnsAreOrdered() {
    let others = ["Ann", "Bob", "Cid"]
    #expect(names { $0.age <= $0.age }.count == 4)
    #expect(names { $0.age >= $0.age }.count == 4)
    #expect(names { $0.age > $0.age }.isEmpty)
    #expect(names { $0.age < $0.age }.isEmpty)
    expectEqual(names { $0.age > $0.friends.count }, others)
    expectEqual(names { $0.age >= $0.friends.count }.count, 4)
    expectEqual(names { $0.age <= $0.friends.count }, ["Zoe"])
  }

  @Test func textsOfColumnsAreCompared() {
    expectEqual(names { $0.name.equals($0.name) }.count, 4)
    #expect(names { $0.name.notEquals($0.name) }.isEmpty)
    expectEqual(names { $0.name.ends(with: $0.name, options: .caseInsensitive) }.count, 4)
    expectEqual(names { $0.name.starts(with: $0.name) && $0.name.contains($0.name) }.count, 4)
    expectEqual(names { $0.name.like($0.name, caseInsensitive: true) }.count, 4)
    expectEqual(StringOptions(rawValue: 1), .caseInsensitive)
  }

  @Test func rangesOfOptionalsAndCollections() {
    expectEqual(names { $0.height.contains(1.0..<2.0) }, ["Ann"])
    expectEqual(names { $0.height.contains(1.5...2.5) }, ["Ann", "Cid"])
    expectEqual(names { $0.numbers.contains(3...5) }, ["Zoe"])
    #expect(names { $0.numbers.contains(3..<5) }.isEmpty)
  }

  @Test func valuesOfMapsAreFolded() {
    expectEqual(names { $0.scores.min == 1 }, ["Zoe"])
    expectEqual(names { $0.scores.max == 3 }, ["Zoe"])
    expectEqual(names { $0.scores.avg == 2 }, ["Zoe"])
    expectEqual(names { $0.scores.sum == 6 }, ["Zoe"])
  }

  @Test func descriptorsAreTurnedAround() {
    let descriptor = RealmSwift.SortDescriptor(keyPath: "age", ascending: false)
    expectEqual(descriptor.description, "SortDescriptor(keyPath: age, direction: descending)")
    expectEqual(
      descriptor.reversed().description, "SortDescriptor(keyPath: age, direction: ascending)")
    expectEqual(descriptor.reversed().reversed(), descriptor)
    expectEqual("age", descriptor.reversed())
    expectEqual(all.sorted(by: [descriptor.reversed()]).first?.name, "Zoe")
  }

  @Test func predicatesThatHaveNoQuerySayWhy() {
    let error = #expect(throws: PredicateTranslationError.self) {
      _ = try all.filter(#Predicate<Member> { $0.name.count > 3 })
    }
    expectEqual(error?.errorDescription, error?.description)
    expectEqual(error?.description.isEmpty, false)
  }

  @Test func valuesOfElementsByName() throws {
    let zoe = try #require(all.last)
    let names: [AnyObject] = zoe.friends.value(forKeyPath: "name")
    expectEqual(names.count, 3)
    let ages: [AnyObject] = zoe.circle.value(forKeyPath: "age")
    expectEqual(ages.count, 3)
  }
}
