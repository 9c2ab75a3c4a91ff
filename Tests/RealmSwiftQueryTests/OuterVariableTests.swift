// SPDX-License-Identifier: Apache-2.0

// Subqueries that ask about the objects around them, against loops.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

private final class Leaf: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var a = 0
  @Persisted var b: Int?
  @Persisted var text = ""
  @Persisted var next: Leaf?
  @Persisted var leaves: List<Leaf>
  @Persisted var scores: List<Int>
  @Persisted(originProperty: "leaves") var trees: LinkingObjects<Leaf>

  override class func propertiesMapping() -> [String: String] { ["a": "alpha", "leaves": "kids"] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Crate: Object {
  @Persisted var name = ""
  @Persisted var fruits: List<Fruit>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Fruit: Object {
  @Persisted var name = ""
  @Persisted var weight = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct OuterVariableTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let all: [Leaf]

  init() throws {
    file = try TemporaryRealm([Leaf.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 8)
    let realm = realm
    all = try realm.write {
      let all = (0..<40).map { realm.create(Leaf.self, value: ["id": $0]) }
      for leaf in all {
        leaf.a = Int.random(in: -3...3, using: &random)
        leaf.b = random.chance(0.3) ? nil : Int.random(in: -3...3, using: &random)
        leaf.text = ["x", "X", "xy", ""].randomElement(using: &random) ?? ""
        leaf.next = random.chance(0.3) ? nil : all.randomElement(using: &random)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          if let other = all.randomElement(using: &random) { leaf.leaves.append(other) }
          leaf.scores.append(Int.random(in: -3...3, using: &random))
        }
      }
      return all
    }
  }

  private func expect(
    _ query: String, _ arguments: Any..., sourceLocation: SourceLocation = #_sourceLocation,
    _ meaning: (Leaf) -> Bool
  ) {
    let found = Array(
      realm.objects(Leaf.self).filter(NSPredicate(format: query, argumentArray: arguments)))
    let wanted = all.filter(meaning)
    #expect(found.map(\.id) == wanted.map(\.id), sourceLocation: sourceLocation)
    #expect((1..<all.count).contains(wanted.count), sourceLocation: sourceLocation)
  }

  /// A condition on an element `$q` of an element `$p`, for some of both.
  private func expect(
    inner: String, _ arguments: Any..., sourceLocation: SourceLocation = #_sourceLocation,
    _ meaning: (Leaf, Leaf) -> Bool
  ) {
    let query = "SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $q, \(inner)).@count > 0).@count > 0"
    let found = Array(
      realm.objects(Leaf.self).filter(NSPredicate(format: query, argumentArray: arguments)))
    let wanted = all.filter { $0.leaves.contains { p in p.leaves.contains { meaning(p, $0) } } }
    #expect(found.map(\.id) == wanted.map(\.id), "\(inner)", sourceLocation: sourceLocation)
    #expect(!wanted.isEmpty, "\(inner)", sourceLocation: sourceLocation)
    #expect(wanted.count < all.count, "\(inner)", sourceLocation: sourceLocation)
  }

  /// A name without variable is one of the element, or, if that has none, of the queried object.
  @Test func namesWithoutVariable() throws {
    let realm = try TemporaryRealm([Crate.self, Fruit.self]).open()
    try realm.write {
      for (name, weight) in [("a", 1), ("b", 5)] {
        let fruit = realm.create(Fruit.self, value: ["name": "b", "weight": weight])
        realm.create(Crate.self, value: ["name": name, "fruits": [fruit]])
      }
    }
    for (condition, found) in [
      ("weight > 3", ["b"]), ("name == 'b'", ["a", "b"]), ("$x.name == 'b'", ["a", "b"]),
      ("$self.name == 'b'", ["b"]), ("name == $self.name", ["b"]), ("$x.name == $self.name", ["b"]),
      ("fruits.@count == 1 AND weight == 1", ["a"]), ("$self.name == 'a' AND weight == 1", ["a"]),
    ] {
      let crates = realm.objects(Crate.self)
        .filter("SUBQUERY(fruits, $x, \(condition)).@count > 0")
      expectEqual(crates.map(\.name), found, "\(condition)")
    }
  }

  @Test func comparisonsWithTheElementAround() {
    expect(inner: "$q.a > $p.a") { $1.a > $0.a }
    expect(inner: "$p.a < $q.a AND $q.text == $p.text") { $0.a < $1.a && $1.text == $0.text }
    expect(inner: "$q.text ==[c] $p.text AND $q.a == 0") {
      $1.text.lowercased() == $0.text.lowercased() && $1.a == 0
    }
    expect(inner: "$q.text BEGINSWITH $p.text AND $p.text != ''") {
      $1.text.hasPrefix($0.text) && !$0.text.isEmpty
    }
    expect(inner: "NOT $q.b == $p.b AND $p.b != nil") { $1.b != $0.b && $0.b != nil }
    expect(inner: "$q.b == $p.b AND $p.b == nil") { $1.b == nil && $0.b == nil }
  }

  @Test func whatTheElementAroundIsAskedFor() {
    expect(inner: "$p.a >= 2 AND $q.a < 0") { $0.a >= 2 && $1.a < 0 }
    expect(inner: "1 < $p.a OR $q.a == %d", 3) { 1 < $0.a || $1.a == 3 }
    expect(inner: "$p.a IN {-3, 3} AND $p.b BETWEEN %@", 0...3) {
      [-3, 3].contains($0.a) && ($0.b.map { (0...3).contains($0) } ?? false) && $1.a < 9
    }
    expect(inner: "$q.a > $p.a + $p.b * 2") { p, q in p.b.map { q.a > p.a + $0 * 2 } ?? false }
    expect(inner: "$q.a == $p.next.a") { $1.a == $0.next?.a }
    expect(inner: "$q.a > $p.leaves.@count") { $1.a > $0.leaves.count }
    expect(inner: "$q.a IN $p.scores") { $0.scores.contains($1.a) }
    expect(inner: "ANY $p.scores == 3 AND $q.a > 0") { $0.scores.contains(3) && $1.a > 0 }
    expect(inner: "ALL $p.leaves.a <= $q.a AND $q.a > 2") { p, q in
      q.a > 2 && p.leaves.allSatisfy { $0.a <= q.a }
    }
    expect(inner: "$p.trees.@count > 2 AND $q.a == 0") { $0.trees.count > 2 && $1.a == 0 }
    expect(inner: "$p.scores[0] == $q.a") { $0.scores.first == $1.a }
  }

  @Test func severalLevelsAndNamesThatAreUsedAgain() {
    expect(
      "SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $q, SUBQUERY($q.trees, $r, "
        + "$r.a == $p.a AND $r.b > $q.b).@count > 0).@count > 1).@count > 0"
    ) { leaf in
      leaf.leaves.contains { p in
        p.leaves.filter { q in
          q.trees.contains { r in
            r.a == p.a && (r.b.flatMap { b in q.b.map { b > $0 } } ?? false)
          }
        }.count > 1
      }
    }
    expect("SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $p, $p.a > 2).@count > 0).@count > 0") {
      $0.leaves.contains { $0.leaves.contains { $0.a > 2 } }
    }
    expect("SUBQUERY(leaves, $p, $p.a > $p.b AND $p.b < $p.next.a).@count > 0") {
      $0.leaves.contains { p in
        p.b.flatMap { b in p.next.map { p.a > b && b < $0.a } } ?? false
      }
    }
  }

  /// `$self` is the object that the query is about, whatever names its elements have. Values have
  /// none.
  @Test func elementsAreComparedWithTheQueriedObject() throws {
    expect("SUBQUERY(leaves, $p, $p.a > $self.a).@count > 0") { leaf in
      leaf.leaves.contains { $0.a > leaf.a }
    }
    expect("SUBQUERY(leaves, $p, $p.a == $self.next.a AND $self.b > $p.a).@count > 0") { leaf in
      leaf.leaves.contains { $0.a == leaf.next?.a && (leaf.b ?? -9) > $0.a }
    }
    expect("SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $q, $q.a > $self.a).@count > 0).@count > 0") {
      leaf in leaf.leaves.contains { $0.leaves.contains { $0.a > leaf.a } }
    }
    expect("SUBQUERY(scores, $s, $s > a).@count > 1") { leaf in
      leaf.scores.filter { $0 > leaf.a }.count > 1
    }
    expect("SUBQUERY(scores, $s, a < $s AND text == 'x' AND NOT $s == b).@count > 0") { leaf in
      leaf.text == "x" && leaf.scores.contains { leaf.a < $0 && $0 != leaf.b }
    }
    expect("SUBQUERY(scores, $s, $s IN leaves.a).@count > 0") { leaf in
      leaf.scores.contains { score in leaf.leaves.contains { $0.a == score } }
    }
  }

  /// The collection of a subquery may be one of any object around.
  @Test func collectionsOfObjectsAround() throws {
    expect("SUBQUERY(leaves, $p, SUBQUERY($self.leaves, $q, $q.a > $p.a).@count > 1).@count > 0") {
      leaf in
      leaf.leaves.contains { p in leaf.leaves.filter { $0.a > p.a }.count > 1 }
    }
    expect("SUBQUERY(leaves, $p, SUBQUERY($self.scores, $s, $s == $p.a).@count > 0).@count > 0") {
      leaf in leaf.leaves.contains { p in leaf.scores.contains(p.a) }
    }
    expect(
      "SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $q, SUBQUERY($p.scores, $s, $s == $q.a AND "
        + "$s > $self.a).@count > 0).@count > 0).@count > 0"
    ) { leaf in
      leaf.leaves.contains { p in
        p.leaves.contains { q in p.scores.contains { $0 == q.a && $0 > leaf.a } }
      }
    }
  }

  private func expectWhere(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (Query<Leaf>) -> Query<Bool>, _ meaning: (Leaf) -> Bool
  ) {
    let found = Array(realm.objects(Leaf.self).where(condition))
    let wanted = all.filter(meaning)
    #expect(found.map(\.id) == wanted.map(\.id), sourceLocation: sourceLocation)
    #expect((1..<all.count).contains(wanted.count), sourceLocation: sourceLocation)
  }

  @Test func closuresCompareElementsWithTheQueriedObject() throws {
    expectWhere {
      ($0.leaves.a > $0.a).count > 0
    } _: { leaf in
      leaf.leaves.contains { $0.a > leaf.a }
    }
    expectWhere {
      ($0.leaves.a < $0.next.a && $0.text == "x").count == 1
    } _: { leaf in
      leaf.text == "x" && leaf.leaves.filter { $0.a < leaf.next?.a ?? -9 }.count == 1
    }
    let (text, _) = { ($0.leaves.a > $0.a).count > 1 }(Query<Leaf>._constructForTesting())
      ._constructPredicate()
    expectEqual(text, "(SUBQUERY(leaves, $col1, ($col1.a > $self.a)).@count > %@)")
    // What is printed can be read.
    expectEqual(
      Array(realm.objects(Leaf.self).filter(text, 1)),
      Array(realm.objects(Leaf.self).where { ($0.leaves.a > $0.a).count > 1 }))
  }

  /// A count of the collection that is counted is about the object around, as its elements have no
  /// collection that could be meant.
  @Test func closuresCountTheSameCollectionWithin() throws {
    expectWhere {
      ($0.leaves.a > 0 && ($0.leaves.a < 0).count > 0).count > 0
    } _: { leaf in
      leaf.leaves.contains { $0.a > 0 } && leaf.leaves.contains { $0.a < 0 }
    }
    expectWhere {
      ($0.leaves.text == "x" && ($0.leaves.a > $0.a).count > 0).count > 0
    } _: { leaf in
      leaf.leaves.contains { $0.text == "x" } && leaf.leaves.contains { $0.a > leaf.a }
    }
    expectWhere {
      ($0.leaves.a > 0 && ($0.leaves.a < 2 && ($0.leaves.text == "x").count > 0).count > 0).count
        > 0
    } _: { leaf in
      leaf.leaves.contains { $0.a > 0 } && leaf.leaves.contains { $0.a < 2 }
        && leaf.leaves.contains { $0.text == "x" }
    }
    expectWhere {
      ($0.next.leaves.a > 0 && ($0.next.leaves.a < 0).count == 1).count > 0
    } _: { leaf in
      leaf.next.map { next in
        next.leaves.contains { $0.a > 0 } && next.leaves.filter { $0.a < 0 }.count == 1
      } ?? false
    }
    expectWhere {
      ($0.scores > 0 && ($0.scores < 0).count > 0).count > 0
    } _: { leaf in
      leaf.scores.contains { $0 > 0 } && leaf.scores.contains { $0 < 0 }
    }
    let query: (Query<Leaf>) -> Query<Bool> = {
      ($0.leaves.a > 0 && ($0.leaves.a < 0).count > 0).count > 0
    }
    let (text, arguments) = query(Query<Leaf>._constructForTesting())._constructPredicate()
    // What is printed can be read.
    let read = NSPredicate(format: text, argumentArray: arguments)
    expectEqual(
      Array(realm.objects(Leaf.self).filter(read)), Array(realm.objects(Leaf.self).where(query)))
  }

  @Test func closuresCountWithinElements() throws {
    expectWhere {
      ($0.leaves.a > -2 && ($0.leaves.leaves.a > 0).count > 0).count > 0
    } _: { leaf in
      leaf.leaves.contains { $0.a > -2 && $0.leaves.contains { $0.a > 0 } }
    }
    expectWhere {
      (($0.leaves.leaves.a > $0.leaves.a).count > 1).count > 0
    } _: { leaf in
      leaf.leaves.contains { p in p.leaves.filter { $0.a > p.a }.count > 1 }
    }
    expectWhere {
      (($0.leaves.leaves.a > $0.a).count > 1).count > 0
    } _: { leaf in
      leaf.leaves.contains { p in p.leaves.filter { $0.a > leaf.a }.count > 1 }
    }
    expectWhere {
      ((($0.leaves.leaves.trees.a == $0.leaves.a && $0.leaves.leaves.trees.b > $0.leaves.leaves.b)
        .count > 0).count > 1).count > 0
    } _: { leaf in
      leaf.leaves.contains { p in
        p.leaves.filter { q in
          q.trees.contains { r in
            r.a == p.a && (r.b.flatMap { b in q.b.map { b > $0 } } ?? false)
          }
        }.count > 1
      }
    }
  }

  @Test func comparisonsWithTheQueriedObjectAreLive() throws {
    let found = realm.objects(Leaf.self).where { ($0.leaves.a > $0.a).count > 0 }
    let parent = try #require(found.first)
    try realm.write { parent.a = 100 }
    expectFalse(found.contains(parent))
    try realm.write { parent.a = -100 }
    expectTrue(found.contains(parent))
  }

  @Test func theResultsAreLive() throws {
    let query =
      "SUBQUERY(leaves, $p, SUBQUERY($p.leaves, $q, $q.a > $p.a + 6).@count > 0).@count > 0"
    let found = realm.objects(Leaf.self).filter(query)
    expectTrue(found.isEmpty)
    let parent = try #require(all.first { !$0.leaves.isEmpty && !$0.leaves[0].leaves.isEmpty })
    // The object around the innermost condition, and the one that the condition is about.
    let (outer, inner) = (parent.leaves[0], parent.leaves[0].leaves[0])
    try #require(outer != inner)
    try realm.write { outer.a = -10 }
    expectTrue(found.contains(parent))
    try realm.write { inner.a = -10 }
    try realm.write { for leaf in outer.leaves { leaf.a = -10 } }
    expectFalse(found.contains(parent))
  }

  @Test func foundationPredicatesAskAroundToo() throws {
    func expect(
      _ predicate: Predicate<Leaf>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let found = try Array(realm.objects(Leaf.self).filter(predicate))
      let wanted = try all.filter { try predicate.evaluate($0) }
      #expect(found.map(\.id) == wanted.map(\.id), sourceLocation: sourceLocation)
      #expect((1..<all.count).contains(wanted.count), sourceLocation: sourceLocation)
    }
    try expect(#Predicate { leaf in leaf.leaves.contains { $0.a > leaf.a && $0.text == "x" } })
    try expect(#Predicate { leaf in leaf.leaves.allSatisfy { $0.a >= leaf.a || $0.b == nil } })
    try expect(#Predicate { leaf in leaf.leaves.filter { $0.a == leaf.a }.count == 1 })
    try expect(
      #Predicate { leaf in leaf.leaves.contains { p in p.leaves.contains { $0.a > p.a + 2 } } })
    try expect(
      #Predicate { leaf in
        leaf.leaves.contains { p in p.leaves.contains { $0.a > p.a + leaf.a } }
      })
    try expect(
      #Predicate { leaf in
        leaf.leaves.contains { p in p.leaves.contains { $0.a == leaf.a && p.a > 0 } }
      })
    try expect(
      #Predicate { leaf in leaf.leaves.contains { $0.a > 0 && leaf.leaves.count > 2 } })
    try expect(#Predicate { leaf in leaf.leaves.contains { $0.next?.a == leaf.next?.a } })
    try expect(
      #Predicate { leaf in
        leaf.next.flatMap { next in leaf.leaves.contains { $0 != next } } ?? false
      })
    try expect(
      #Predicate { leaf in
        leaf.next.flatMap { next in
          next.leaves.contains { p in p.leaves.contains { $0 == next } }
        } ?? true
      })
    try expect(
      #Predicate { leaf in
        leaf.leaves.contains { p in p.scores.contains { $0 > p.a + leaf.a } }
      })
    try expect(
      #Predicate { leaf in leaf.leaves.contains { p in leaf.scores.contains { $0 == p.a } } })
    try expect(
      #Predicate { leaf in
        leaf.next.flatMap { next in next.leaves.contains { $0.a > next.a } } ?? false
      })
  }

  @Test func whatCannotBeAskedAroundIsAnError() throws {
    let leaves = realm.objects(Leaf.self)
    func expect(_ text: String, _ predicate: Predicate<Leaf>) {
      let error = #expect(throws: PredicateTranslationError.self) { try leaves.filter(predicate) }
      #expect(error?.description.contains(text) ?? false, "\(error as Any)")
    }
    expect(
      "through the collections of that element",
      #Predicate { leaf in
        leaf.leaves.contains { p in leaf.leaves.contains { $0.a > p.a && $0.b == p.b } }
      })
    expect(
      "An object by itself",
      #Predicate { leaf in
        leaf.next.flatMap { next in leaf.leaves.contains { $0 == next && $0.a > 0 } } ?? false
      })
    expect(
      "An object by itself",
      #Predicate { leaf in leaf.leaves.contains { p in p.next.flatMap { $0 == leaf } ?? false } })
    expect(
      "a value in a collection",
      #Predicate { leaf in leaf.scores.contains { $0 > leaf.a && $0 < 3 } })
  }
}
