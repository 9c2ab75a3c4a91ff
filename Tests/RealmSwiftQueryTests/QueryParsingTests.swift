// SPDX-License-Identifier: Apache-2.0

// Query strings from outside of the program: whatever they are, a mistake is an error.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct QueryParsingTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private var people: Results<Person> { realm.objects(Person.self) }

  init() throws {
    file = try TemporaryRealm()
    realm = try file.open()
    try realm.write { [realm] in
      for id in 0..<5 {
        realm.create(
          Person.self, value: ["id": id, "name": "p\(id)", "nicknames": ["n\(id)", "x"]])
      }
    }
  }

  /// The error that a string is refused with.
  private func refusal(
    _ string: String, _ arguments: [Any] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) -> QueryParsingError? {
    do {
      let found = try people.filter(parsing: string, arguments)
      Issue.record("'\(string)' found \(found.count)", sourceLocation: sourceLocation)
      return nil
    } catch {
      #expect(error is QueryParsingError, sourceLocation: sourceLocation)
      return error as? QueryParsingError
    }
  }

  @Test func stringsFromOutsideFilter() throws {
    try expectEqual(people.filter(parsing: "id > 2 SORT(id DESC)").map(\.id), [4, 3])
    try expectEqual(people.filter(parsing: "name == %@ OR id == $1", ["p1", 3]).map(\.id), [1, 3])
    try expectEqual(people.filter(parsing: "ANY nicknames == 'n4'").count, 1)
    let first = try #require(people.first)
    try expectEqual(first.nicknames.filter(parsing: "self BEGINSWITH 'n'").count, 1)
    try expectEqual(people.freeze().filter(parsing: "name LIKE 'p*'").count, 5)
  }

  @Test(arguments: [
    "", "id", "id >", "id > > 3", "nobody == 3", "name.length == 3", "id == 'x'", "name == 3",
    "name < TRUE", "id == %@", "%K == 3", "ANY id == 3", "nicknames == 'x'", "id.@count == 3",
    "nicknames.@avg > 3", "id == obj(Person, 'x')", "id == obj(Nobody, 3)", "id MATCHES 'x'",
    "@links.Nobody.x.@count == 3", "id BETWEEN 3", "id IN 3", "name CONTAINS[d] 3", "LIMIT(-1)",
    "TRUEPREDICATE SORT(nobody ASC)", "TRUEPREDICATE LIMIT('x')",
    "dog GEOWITHIN geoCircle([0, 0], -1)",
    "id == uuid(x)", "SUBQUERY(nicknames, $x, $x.y == 3).@count > 0", "id.@type == 'nothing'",
    "id == oid(1)", "nicknames[FIRST][0] == 3", "name TEXT 'a'", "id == $7", "id == 1 )", "'",
    "ALL id > 3", "3 == 3", "id == B64'?'", "name.nicknames.@sum.id == 3", "id + name == 3",
  ])
  func everyMistakeIsAnError(_ string: String) throws {
    let error = try #require(refusal(string))
    expectEqual(error.query, string)
    expectFalse(error.localizedDescription.isEmpty)
    expectTrue(error.column ?? 1 >= 1)
    expectTrue(error.column ?? 1 <= string.count + 1)
    #expect(throws: QueryParsingError.self) { try Query(parsing: string, for: Person.self) }
  }

  @Test func argumentsThatDoNotFitAreErrors() throws {
    let other = try TemporaryRealm().open()
    let stranger = try other.write { other.create(Person.self, value: ["id": 1]) }
    for arguments: [Any] in [[stranger], [Data()], [Date()], ["text"]] {
      expectTrue(refusal("id == %@", arguments) != nil)
    }
    expectTrue(refusal("%K == 3", [3]) != nil)
    expectTrue(refusal("%K == 3", ["nobody.x"]) != nil)
  }

  @Test func theColumnIsThatOfTheMistake() throws {
    expectEqual(refusal("id > > 3")?.column, 6)
    expectEqual(refusal("id == 3 AND nobody == 3")?.column, 13)
    expectEqual(refusal("id == 3 AND name.length == 3")?.column, 13)
    expectEqual(refusal("id == ")?.column, 7)
    let error = try #require(refusal("id > > 3"))
    expectTrue(error.localizedDescription.contains("at column 6"))
    expectEqual(error.errorDescription, error.localizedDescription)
    expectEqual("\(error)", error.localizedDescription)
  }

  @Test func conditionsAreParts() throws {
    let condition = try Query(parsing: "id > %@ AND name != 'p4'", [1], for: Person.self)
    expectEqual(people.where { $0.id < 4 && condition }.map(\.id), [2, 3])
    expectEqual(people.where { _ in condition }.count, 2)
    let linked = try Query(parsing: "best.name == 'x' OR best == nil", for: Person.self)
    expectEqual(people.where { _ in linked }.count, 5)
    expectEqual(people.where { _ in !condition }.map(\.id), [0, 1, 4])
    #expect(throws: QueryParsingError.self) {
      try Query(parsing: "id > 1 SORT(id ASC)", for: Person.self)
    }
  }

  @Test func theMapOfAnObjectIsFiltered() throws {
    let file = try TemporaryRealm([ParsedShelf.self])
    let realm = try file.open()
    let shelf = try realm.write {
      let shelf = realm.create(ParsedShelf.self)
      shelf.counts["a"] = 1
      shelf.counts["b"] = 2
      return shelf
    }
    try expectEqual(shelf.counts.filter(parsing: "self > 1").map { $0 }, [2])
    #expect(throws: QueryParsingError.self) { try shelf.counts.filter(parsing: "nobody > 1") }
  }
}

private class ParsedShelf: Object {
  @Persisted var counts: Map<String, Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
