// SPDX-License-Identifier: Apache-2.0

// Conditions of as many comparisons and levels as are allowed, on a stack of 512 KiB, which threads
// have on Apple's systems and with musl; and one more of each, which is an error.

import Foundation
import RealmQuery
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Numbered: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var parts: List<Numbered>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct LongConditionTests {
  private let configuration: Realm.Configuration
  private let file: TemporaryRealm

  init() throws {
    file = try TemporaryRealm([Numbered.self])
    configuration = file.configuration
    let realm = try file.open()
    try realm.write { for id in 0..<10 { realm.create(Numbered.self, value: ["id": id]) } }
  }

  /// Runs `body` on a thread with a small stack.
  private func onSmallStack(
    byteCount: Int = 512 << 10, _ body: @escaping @Sendable (Results<Numbered>) throws -> Void
  ) async {
    let configuration = configuration
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        do {
          let realm = try Realm(configuration: configuration)
          try body(realm.objects(Numbered.self))
        } catch { Issue.record("\(error)") }
        done.resume()
      }
      thread.stackSize = byteCount
      thread.start()
    }
  }

  private static let limit = 65_536

  private static var isDebugBuild: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// The text of the error that a query string is refused with.
  private static func error(_ all: Results<Numbered>, _ text: String) -> String {
    do {
      _ = try all.filter(parsing: text)
      return "none"
    } catch { return error.localizedDescription }
  }

  /// `PredicateNode` 1
  @Test(.heavy) func longChainsInStrings() async {
    await onSmallStack { all in
      let any = (0..<Self.limit).map { "id == \($0 + 5)" }.joined(separator: " OR ")
      let some = try all.filter(parsing: any)
      expectEqual(some.count, 5)
      let each = (0..<20_000).map { "name != '\($0)'" }.joined(separator: " AND ")
      let every = try all.filter(parsing: each)
      expectEqual(every.count, 10)
      let text = Self.error(all, any + " OR id == 1")
      expectTrue(text.contains("a query with at most 65536 comparisons"), "\(text.prefix(200))")
    }
  }

  /// `PredicateNode` 1 and 2: chains are freed here, too, and either end may be joined first.
  @Test(.heavy) func longChainsInClosures() async {
    await onSmallStack { all in
      let count = 20_000
      func joined(_ join: (Query<Bool>, Query<Bool>) -> Query<Bool>) -> Results<Numbered> {
        all.where { object in
          (1..<count).reduce(object.id == 5) { join($0, object.id == $1 + 5) }
        }
      }
      expectEqual(joined { $0 || $1 }.count, 5)
      // The last is joined first.
      expectEqual(joined { $1 || $0 }.count, 5)
      expectEqual(joined { $0 && !$1 }.count, 1)
      let (text, arguments) = (1..<count).reduce(Query<Numbered>._constructForTesting().id == 0) {
        $0 && Query<Numbered>._constructForTesting().id == $1
      }._constructPredicate()
      expectTrue(text.hasPrefix(String(repeating: "(", count: count)))
      expectEqual(arguments.count, count)
      expectTrue(text.hasSuffix(" && (id == %@))"))
      let counted = all.where { object in
        (1..<count).reduce(object.parts.id == 0) { $0 || object.parts.id == $1 }.count > 0
      }
      expectTrue(counted.isEmpty)
    }
  }

  /// `PredicateNode` 2
  @Test func filtersOfFiltersAreOneChain() async {
    await onSmallStack { all in
      var results = all
      for number in 0..<2000 { results = results.where { $0.id != number + 3 } }
      expectEqual(results.count, 3)
    }
  }

  /// `PredicateNode` 2. A level takes about five times as much stack in a debug build as in an
  /// optimised one.
  @Test func deepConditions() async {
    await onSmallStack(byteCount: Self.isDebugBuild ? 3 << 20 : 512 << 10) { all in
      func nested(_ depth: Int) -> String {
        (0..<depth).reduce("id == 0") { inner, level in
          "(id == \(level % 7) \(level % 2 == 0 ? "OR" : "AND") \(inner))"
        }
      }
      let deep = try all.filter(parsing: nested(126))
      expectTrue(deep.count >= 0)
      let negated = try all.filter(parsing: String(repeating: "!", count: 126) + "id == 0")
      expectEqual(negated.count, 1)
      func subqueries(_ depth: Int) -> String {
        (0..<depth).reversed().reduce("$v\(depth - 1).id == 0") { inner, level in
          let collection = level == 0 ? "parts" : "$v\(level - 1).parts"
          return "SUBQUERY(\(collection), $v\(level), \(inner)).@count > 0"
        }
      }
      let counted = try all.filter(parsing: subqueries(60))
      expectTrue(counted.isEmpty)
      for text in [nested(200), String(repeating: "!", count: 200) + "id == 0", subqueries(80)] {
        let said = Self.error(all, text)
        expectTrue(said.contains("a query that nests at most 128 deep"), "\(said.prefix(200))")
      }
    }
  }

  /// Gives objects 7 and 8 parts.
  private func addParts() throws {
    let realm = try file.open()
    try realm.write {
      let objects = Array(realm.objects(Numbered.self).sorted(by: \.id))
      objects[7].parts.append(objectsIn: [objects[1], objects[2]])
      objects[8].parts.append(objects[2])
    }
  }

  /// Sums of as many operators as are allowed, written as a chain, with parentheses, with values of
  /// a collection and on elements; one more is an error. In debug builds too, on 512 KiB.
  @Test func longSums() async throws {
    try addParts()
    await onSmallStack { (all) throws in
      func chain(_ count: Int, _ term: String, _ sign: String = "+") -> String {
        Array(repeating: term, count: count + 1).joined(separator: " \(sign) ")
      }
      func nested(_ depth: Int) -> String {
        (0..<depth).reduce("id") { inner, _ in "1 + (\(inner))" }
      }
      func ids(_ text: String) throws -> [Int] { try all.filter(parsing: text).map(\.id) }
      try expectEqual(ids(chain(128, "id") + " == 387"), [3])
      try expectEqual(ids("id + " + chain(127, "1") + " == 131"), [3])
      try expectEqual(ids(chain(128, "id", "*") + " == 1"), [1])
      try expectEqual(ids(nested(120) + " == 123"), [3])
      try expectEqual(ids("3 == " + chain(128, "id", "-")), [])
      try expectEqual(ids("ANY parts.id + " + chain(127, "0") + " == 2"), [7, 8])
      for count in [129, 5000] {
        for text in [
          chain(count, "id"), chain(count, "id", "/"), "ANY parts." + chain(count, "id"),
        ] {
          let said = Self.error(all, text + " == 1")
          #expect(
            said.contains("a query with at most 128 arithmetic operators"), "\(said.prefix(200))")
        }
        for text in [nested(count), String(repeating: "{", count: count)] {
          let said = Self.error(all, text + " == 1")
          expectTrue(said.contains("a query that nests at most 128 deep"), "\(said.prefix(200))")
        }
      }
    }
  }

  /// Sums of many operators are computed otherwise than short ones, and have the same results, also
  /// for each combination of the values of collections.
  @Test func longSumsAreThoseOfShortOnes() throws {
    try addParts()
    let all = try file.open().objects(Numbered.self)
    let zeros = String(repeating: " + 0", count: 9)
    for left in [
      "ANY parts.id * 10 + parts.id", "ANY parts.id", "id * (2 - id)", "-id + 7 / 2",
      "parts.@sum.id", "ALL parts.id * 2", "NONE parts.id",
    ] {
      for number in -10..<40 {
        let short: [Int] = try all.filter(parsing: "\(left) == \(number)").map(\.id)
        let long: [Int] = try all.filter(parsing: "\(left)\(zeros) == \(number)").map(\.id)
        expectEqual(short, long, "\(left) == \(number)")
      }
    }
  }

  @Test func closuresThatAreTooLongOrTooDeepTrap() async {
    let long = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let object = Query<Numbered>._constructForTesting()
      _ = (0..<Self.limit).reduce(object.id == 0) { $0 || object.id == $1 }
    }
    let deep = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let object = Query<Numbered>._constructForTesting()
      _ = (0..<200).reduce(object.id == 0) { condition, _ in !condition }
    }
    for (result, text) in [
      (
        long, "a condition has at most 65536 comparisons. Look for one of several values with 'IN'."
      ),
      (deep, "a condition nests at most 128 deep."),
    ] {
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      expectTrue(said.contains("Invalid predicate: " + text), "said: \(said.prefix(300))")
    }
  }
}
