// SPDX-License-Identifier: Apache-2.0

// Documentation/QueryLanguage.md: each of its lines is run on the objects that it shows.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

// page
class Chore: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name = ""
  @Persisted var isDone = false
  @Persisted var priority = 0
  @Persisted var due: Date?
  @Persisted var token: UUID?
  @Persisted var cost: Decimal128
  @Persisted var picture: Data?
  @Persisted(indexed: .fullText) var notes = ""
  @Persisted var tags: List<String>
  @Persisted var hours: Map<String, Int>
  @Persisted var extra: AnyRealmValue
  @Persisted var owner: Neighbour?
  @Persisted var steps: List<Step>
  @Persisted var place: Spot?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Neighbour: Object {
  @Persisted(primaryKey: true) var _id = 0
  @Persisted var name = ""
  @Persisted(originProperty: "owner") var chores: LinkingObjects<Chore>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Step: EmbeddedObject {
  @Persisted var name = ""
  @Persisted var minutes = 0
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Spot: EmbeddedObject {  // The form of a point, as conditions on places expect it.
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
// end of page

struct QueryPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let page = root.appending(path: "Documentation/QueryLanguage.md")

  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Chore.self, Neighbour.self, Step.self, Spot.self])
    realm = try file.open()
    try realm.write { [realm] in
      let ann = realm.create(Neighbour.self, value: ["_id": 1, "name": "Ann"])
      let bob = realm.create(Neighbour.self, value: ["_id": 2, "name": "Bob"])
      let milk = try realm.create(
        Chore.self, value: ["_id": ObjectId(string: "65f000000000000000000001")])
      milk.name = "Buy milk"
      milk.priority = 1
      milk.due = Date(timeIntervalSince1970: 1_772_323_200)
      milk.token = UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962")
      milk.cost = 1.20
      milk.picture = Data([0, 1, 2])
      milk.notes = "Fresh milk and bread"
      milk.tags.append(objectsIn: ["home", "shop"])
      milk.hours["mon"] = 1
      milk.extra = .int(3)
      milk.owner = ann
      milk.steps.append(Step(value: ["name": "Go", "minutes": 10]))
      milk.steps.append(Step(value: ["name": "Pay", "minutes": 5]))
      milk.place = Spot(value: ["coordinates": [13.4, 52.5]])
      let call = realm.create(Chore.self)
      call.name = "Call Zoë"
      call.isDone = true
      call.priority = 3
      call.due = Date(timeIntervalSince1970: 1_775_824_200)
      call.notes = "About the trip"
      call.tags.append("phone")
      call.hours["mon"] = 2
      call.hours["tue"] = 3
      call.extra = .string("x")
      call.owner = bob
      call.place = Spot(value: ["coordinates": [2.35, 48.86]])
      let plants = realm.create(Chore.self)
      plants.name = "Water plants"
      plants.priority = 2
      plants.cost = 10.50
      plants.notes = "Not the cactus"
      plants.tags.append("home")
      plants.extra = .fromArray([.int(1), .string("a")])
      plants.owner = ann
      plants.steps.append(Step(value: ["name": "Fill", "minutes": 2]))
      let cow = realm.create(Chore.self)
      cow.name = "milk the cow"
      cow.priority = 3
      cow.notes = "Before breakfast"
      cow.extra = .fromDictionary(["size": .int(5)])
    }
  }

  /// The rows of the page's tables by the headings of their columns.
  private static func rows(under heading: String) throws -> [[String]] {
    let text = try String(contentsOf: page, encoding: .utf8)
    var rows: [[String]] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        isInside = false
        continue
      }
      if line == heading {
        isInside = true
      } else if isInside, !line.hasPrefix("| ---") {
        rows.append(
          line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
          })
      }
    }
    return rows
  }

  private func names(_ results: Results<Chore>) -> String {
    results.isEmpty ? "none" : results.map(\.name).joined(separator: ", ")
  }

  @Test func conditionsFindWhatThePageSays() throws {
    let rows = try Self.rows(under: "| condition | finds |")
    expectTrue(rows.count > 90, "\(rows.count)")
    for row in rows {
      do {
        try expectEqual(names(realm.objects(Chore.self).filter(parsing: row[0])), row[1], "\(row)")
      } catch { Issue.record("\(row[0]): \(error)") }
    }
  }

  @Test func linksFromElsewhereFindWhatThePageSays() throws {
    let rows = try Self.rows(under: "| condition on Neighbour | finds |")
    expectTrue(rows.count >= 5)
    for row in rows {
      do {
        let found = try realm.objects(Neighbour.self).filter(parsing: row[0])
        expectEqual(found.map(\.name).joined(separator: ", "), row[1], "\(row)")
      } catch { Issue.record("\(row[0]): \(error)") }
    }
  }

  /// The arguments that the page spells.
  private static var arguments: [String: [Any]] {
    [
      #""Buy milk""#: ["Buy milk"], #"1, "Bob""#: [1, "Bob"], #""priority", 2"#: ["priority", 2],
      "[1, 2]": [[1, 2]], "2...3": [2...3], "nil": [NSNull()], "1": [1],
    ]
  }

  @Test func argumentsFindWhatThePageSays() throws {
    let rows = try Self.rows(under: "| condition | arguments | finds |")
    expectEqual(Set(rows.map { $0[1] }), Set(Self.arguments.keys))
    for row in rows {
      let arguments = try #require(Self.arguments[row[1]])
      do {
        let found = try realm.objects(Chore.self).filter(parsing: row[0], arguments)
        expectEqual(names(found), row[2], "\(row)")
      } catch { Issue.record("\(row[0]): \(error)") }
    }
  }

  @Test func mistakesHaveTheMessagesOfThePage() throws {
    let rows = try Self.rows(under: "| mistake | message |")
    expectTrue(rows.count >= 10)
    for row in rows {
      let error = #expect(throws: QueryParsingError.self, "\(row)") {
        try realm.objects(Chore.self).filter(parsing: row[0])
      }
      expectTrue(error?.localizedDescription.contains(row[1]) ?? false, "\(row): \(error as Any)")
    }
  }

  /// The operators, words and literals that the reader knows are on the page.
  @Test func nothingOfTheLanguageIsMissing() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    for word in [
      "BETWEEN", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "TEXT", "GEOWITHIN", "MATCHES",
      "ANY", "SOME", "ALL", "NONE", "AND", "OR", "NOT", "TRUEPREDICATE", "FALSEPREDICATE", "SORT",
      "DISTINCT", "LIMIT", "OFFSET", "SUBQUERY", "SELF", "@count", "@size", "@sum", "@avg", "@min",
      "@max", "@keys", "@values", "@links", "@type", "[FIRST]", "[LAST]", "[*]", "[c]", "[d]",
      "[cd]", "oid(", "uuid(", "obj(", "B64'", "geoBox(", "geoCircle(", "geoPolygon(", "%@", "%K",
      "$0", "%%", "#priority",
    ] { expectTrue(text.contains(word), "\(word)") }
  }

  @Test func theClassesAreThoseOfThePage() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let shown = text.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
    let compiled = source.components(separatedBy: "// page\n")[1]
      .components(separatedBy: "// end of page")[0]
    // The classes of other tests have such names, too.
    let lines = compiled.components(separatedBy: "\n").filter { !$0.contains("shouldInclude") }
    expectEqual(shown, lines.joined(separator: "\n"))
  }
}
