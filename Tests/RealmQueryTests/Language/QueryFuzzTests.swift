// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmTestSupport
import Testing

@testable import RealmQuery

/// Strings that are nearly queries: the parser reads them or says where it stopped, always.
struct QueryFuzzTests {
  private static let queries = [
    "age > %@ AND ANY dogs.name BEGINSWITH[c] %@",
    "SUBQUERY(dogs, $d, $d.age > 3 AND $d.name == 'x').@count > 1 SORT(name ASC) LIMIT(5)",
    "map['k'].@allKeys IN {1, -2.5e3, 'three', TRUE, NULL} || !(a.b.@avg.c BETWEEN {%d, %lld})",
    "_id == oid(507f1f77bcf86cd799439011) or u = uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
    "when >= 2020-02-28@13:05:00:7 && t < T1600000000:5 DISTINCT(a, b.c) SORT(d DESC)",
    "NONE @links.Dog.owner.@count =< 0x1F AND text TEXT 'fish -chips' AND %K LIKE[cd] 'a?b*'",
  ]

  private static let pieces = [
    "(", ")", "{", "}", "[", "]", "'", "\"", "\\", "\\u", "$", "$x", "$0", "%", "%@", "%K", "@",
    "@links.", "#", ".", "..", ",", "-", "==", "=", "!", "NOT ", " AND ", " OR ", "ANY ", "IN ",
    "SORT(", "LIMIT(", "SUBQUERY(", "1", "0x", "1e", "9999999999999999999999", "T1:", "2020-01-",
    "oid(", "é", "日本", "\u{0}", "🇫🇷", "\u{301}", " ",
  ]

  @Test func everyStringIsReadOrRefusedWithAPlace() {
    let rounds = ProcessInfo.processInfo.environment["REALM_FUZZ_ROUNDS"].flatMap(Int.init) ?? 3_000
    var random = SeededGenerator(seed: 20)
    var readCount = 0
    for _ in 0..<rounds {
      let query = Self.mutated(&random)
      do throws(QuerySyntaxError) {
        let arguments: [Any] = [1, "name", 2.5, 3]
        let spelled = try QueryParser.parse(query, arguments).condition.format()
        readCount += 1
        #expect(!spelled.text.isEmpty, "\(query)")
      } catch {
        #expect(Self.isExact(error, in: query), "\(query)")
      }
    }
    RandomRuns.report(rounds, "texts of queries")
    // Both ways are taken.
    #expect(readCount > rounds / 100)
    #expect(readCount < rounds)
  }

  /// Whether an error names a column of the query, and both what is there and what should be.
  private static func isExact(_ error: QuerySyntaxError, in query: String) -> Bool {
    (1...query.count + 1).contains(error.column) && !error.expected.isEmpty && !error.found.isEmpty
  }

  /// The search can fail: it refuses errors that do not say where or what.
  @Test func errorsWithoutColumnOrWordsAreRefused() {
    let query = "age >"
    func error(_ offset: Int, _ expected: String, _ found: String) -> QuerySyntaxError {
      QuerySyntaxError(query: query + " 12", offset: offset, expected: expected, found: found)
    }
    #expect(Self.isExact(error(5, "a value", "the end"), in: query))
    #expect(!Self.isExact(error(7, "a value", "the end"), in: query))
    #expect(!Self.isExact(error(5, "", "the end"), in: query))
    #expect(!Self.isExact(error(5, "a value", ""), in: query))
  }

  private static func mutated(_ random: inout SeededGenerator) -> String {
    var text = Array(queries.randomElement(using: &random) ?? "")
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...text.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: text.insert(contentsOf: pieces.randomElement(using: &random) ?? "", at: index)
      case 1 where index < text.count: text.remove(at: index)
      case 2: text.removeSubrange(index..<min(text.count, index + 6))
      default:
        let other = Array(queries.randomElement(using: &random) ?? "")
        text.insert(contentsOf: other.suffix(Int.random(in: 0...12, using: &random)), at: index)
      }
    }
    return String(text)
  }
}
