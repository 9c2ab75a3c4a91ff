// SPDX-License-Identifier: Apache-2.0

// Each construct of Realm Query Language's documentation, with the answer of plain Swift.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class WorkItem: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: .fullText) var name = ""
  @Persisted var isComplete = false
  @Persisted var assignee: String?
  @Persisted var priority = 0
  @Persisted var progressMinutes = 0
  @Persisted var due: Date?
  @Persisted var code = UUID()
  @Persisted var stamp = Data()
  @Persisted(originProperty: "items") var projects: LinkingObjects<WorkProject>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class WorkPlace: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class WorkProject: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var items: List<WorkItem>
  @Persisted var quota: Int?
  @Persisted var main: WorkItem?
  @Persisted var scores: List<Int>
  @Persisted var dict: Map<String, AnyRealmValue>
  @Persisted var any: AnyRealmValue
  @Persisted var place: WorkPlace?
  @Persisted var price: Decimal128 = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct RealmQueryLanguageTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([WorkItem.self, WorkProject.self, WorkPlace.self])
    realm = try file.open()
    let realm = realm
    var random = SeededGenerator(seed: 31)
    try realm.write {
      var items: [WorkItem] = []
      for index in 0..<60 {
        let id = try ObjectId(string: "6489f036f7bd0546377303\(index < 10 ? "0" : "")\(index)")
        let item = realm.create(WorkItem.self, value: ["id": id])
        item.name = ["write test", "Écrire", "read report", "fly"][index % 4]
        item.isComplete = index % 3 == 0
        item.assignee = [nil, "Ali", "Alex", "jamie"][index % 4]
        item.priority = Int.random(in: 0...11, using: &random)
        item.progressMinutes = Int.random(in: 0...15, using: &random) * 10
        item.due = index % 5 == 0 ? nil : Date(timeIntervalSince1970: Double(index) * 86_400)
        item.code = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(index)))
        item.stamp = index % 2 == 0 ? Data([0, 1, 2]) : Data("binary".utf8)
        items.append(item)
      }
      for index in 0..<40 {
        let project = realm.create(WorkProject.self, value: ["id": index])
        project.name = ["Errands", "Pies", "none"][index % 3]
        project.quota = index % 4 == 0 ? nil : index % 6
        project.main = index % 3 == 0 ? nil : items[index]
        project.price = Decimal128(value: index) / 10
        for _ in 0..<index % 5 {
          project.items.append(items[Int.random(in: 0..<50, using: &random)])
          project.scores.append(Int.random(in: 0...6, using: &random))
        }
        project.dict["foo"] =
          [.string("bar"), .int(index), AnyRealmValue.none, .bool(true)][index % 4]
        project.dict["baz"] = index % 2 == 0 ? .bool(false) : .double(0.5)
        project.any = [.int(3), .string("x"), .object(items[2]), .decimal128(2)][index % 4]
        guard index % 5 > 0 else { continue }
        project.place = WorkPlace(value: ["coordinates": [Double(index), 50.0]])
      }
    }
  }

  private func items(
    _ format: String, _ args: Any..., meaning: (WorkItem) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let all = realm.objects(WorkItem.self)
    let found = Array(all.filter(NSPredicate(format: format, argumentArray: args)).map(\.id))
    let expected = Array(all).filter(meaning).map(\.id)
    #expect(found == expected, "\(format)", sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "\(format)", sourceLocation: sourceLocation)
    #expect(expected.count < 60, "\(format)", sourceLocation: sourceLocation)
  }

  private func projects(
    _ format: String, _ args: Any..., meaning: (WorkProject) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let all = realm.objects(WorkProject.self)
    let found = Array(all.filter(NSPredicate(format: format, argumentArray: args)).map(\.id))
    let expected = Array(all).filter(meaning).map(\.id)
    #expect(found == expected, "\(format)", sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "\(format)", sourceLocation: sourceLocation)
    #expect(expected.count < 40, "\(format)", sourceLocation: sourceLocation)
  }

  @Test func parametersAndLiterals() throws {
    items("progressMinutes > 1 AND assignee == $0", "Ali") {
      $0.progressMinutes > 1 && $0.assignee == "Ali"
    }
    items("progressMinutes > $1 AND assignee == $0", "Alex", 100) {
      $0.progressMinutes > 100 && $0.assignee == "Alex"
    }
    items("$K0 == $1", "priority", 3) { $0.priority == 3 }
    items("isComplete == true") { $0.isComplete }
    items("isComplete == $0", false) { !$0.isComplete }
    items("name == 'fly' || name == \"write test\"") { ["fly", "write test"].contains($0.name) }
    items("priority > 5.50") { $0.priority > 5 }
    items("assignee == nil") { $0.assignee == nil }
    items("assignee != NULL") { $0.assignee != nil }
    items("assignee == $0", Any?.none as Any) { $0.assignee == nil }
    items("due < 1970-02-10@12:30:15:0") {
      $0.due.map { $0.timeIntervalSince1970 < 40 * 86_400 + 45_015 } ?? false
    }
    items("due >= 1970-02-10T00:00:00") {
      $0.due.map { $0.timeIntervalSince1970 >= 40 * 86_400 } ?? false
    }
    items("due == T864000:0 OR due > $0", Date(timeIntervalSince1970: 50 * 86_400)) {
      $0.due.map {
        [10, 51, 52, 53, 54, 56, 57, 58, 59].contains(Int($0.timeIntervalSince1970 / 86_400))
      } ?? false
    }
    let id = try ObjectId(string: "6489f036f7bd054637730307")
    items("id == oid(6489f036f7bd054637730307)") { $0.id == id }
    items("id != $0", id) { $0.id != id }
    items("id IN $0", [id]) { $0.id == id }
    items("code == uuid(00000000-0000-0000-0000-000000000005)") { $0.code.uuid.15 == 5 }
    items("stamp == 'binary'") { $0.stamp.count == 6 }
    items("stamp == B64\"AAEC\"") { $0.stamp.count == 3 }
    items("stamp BEGINSWITH 'bin'") { $0.stamp.count == 6 }
  }

  @Test func operators() {
    items("progressMinutes BETWEEN { 30,60 }") { (30...60).contains($0.progressMinutes) }
    items("progressMinutes IN { 10, 20, 30, 40, 50, 60 }") {
      (10...60).contains($0.progressMinutes)
    }
    items("assignee IN $0", ["Ali", "jamie"]) { ["Ali", "jamie"].contains($0.assignee) }
    items("assignee IN {'Ali', nil}") { $0.assignee == "Ali" || $0.assignee == nil }
    items("assignee == 'Ali' && isComplete == true") { $0.assignee == "Ali" && $0.isComplete }
    items("!(priority >= 7) and NOT assignee <> 'Ali'") {
      $0.priority < 7 && $0.assignee == "Ali"
    }
    items("2 * priority > 6") { 2 * $0.priority > 6 }
    items("priority >= 2 * (2 - 1) + 2") { $0.priority >= 4 }
    items("progressMinutes * priority > 300") { $0.progressMinutes * $0.priority > 300 }
    items("progressMinutes / 10 - priority > 3") { $0.progressMinutes / 10 - $0.priority > 3 }
    projects("price * 3 == 0.9") { $0.price == 0.3 }
    projects("price + 0.1 == 0.3") { $0.price == 0.2 }
    projects("price - id < -1") { $0.id >= 2 }
    items("1 <= priority") { 1 <= $0.priority }
    projects("name BEGINSWITH[c] 'e'") { $0.name == "Errands" }
    projects("name CONTAINS 'ie'") { $0.name == "Pies" }
    projects("name LIKE '?i*'") { $0.name == "Pies" }
    projects("name LIKE[c] 'ERR*'") { $0.name == "Errands" }
    projects("name ENDSWITH[c] 'S' AND name =[c] 'PIES'") { $0.name == "Pies" }
    items("name CONTAINS[c] 'É'") { $0.name == "Écrire" }
    items("name CONTAINS[cd] $0", "EC") { $0.name == "Écrire" }
    items("name TEXT $0", "write") { $0.name.hasPrefix("write") }
    items("name TEXT 're* -write'") { $0.name.hasPrefix("read") }
    projects("ALL items.name TEXT 'fly'") { $0.items.allSatisfy { $0.name == "fly" } }
    projects("NONE items.name TEXT 'write'") { !$0.items.contains { $0.name.contains("write") } }
  }

  @Test func aggregatesAndCollections() {
    func average(_ project: WorkProject) -> Double? {
      let sum = project.items.map(\.priority).reduce(0, +)
      return project.items.isEmpty ? nil : Double(sum) / Double(project.items.count)
    }
    projects("items.@avg.priority > 5") { average($0).map { $0 > 5 } ?? false }
    projects("items.@max.priority < 9") { $0.items.map(\.priority).max().map { $0 < 9 } ?? false }
    projects("items.@min.priority > 5") { $0.items.map(\.priority).min().map { $0 > 5 } ?? false }
    projects("items.@count > 2") { $0.items.count > 2 }
    projects("items.@size == 2") { $0.items.count == 2 }
    projects("items.@sum.progressMinutes > 100") {
      $0.items.map(\.progressMinutes).reduce(0, +) > 100
    }
    projects("items.@max.priority > scores.@sum") {
      let sum = $0.scores.reduce(0, +)
      return $0.items.map(\.priority).max().map { $0 > sum } ?? false
    }
    projects("items.@count == items.@min.priority") {
      $0.items.count == $0.items.map(\.priority).min()
    }
    projects("NONE items.isComplete == true") { !$0.items.contains { $0.isComplete } }
    projects("ANY items.priority == 10") { $0.items.contains { $0.priority == 10 } }
    projects("SOME items.priority > 9") { $0.items.contains { $0.priority > 9 } }
    projects("ALL items.isComplete == false") { $0.items.allSatisfy { !$0.isComplete } }
    projects("ANY items.assignee IN { 'Alex', 'Ali' }") {
      $0.items.contains { ["Alex", "Ali"].contains($0.assignee) }
    }
    projects("NONE items.assignee IN { 'Alex', 'Ali' }") {
      !$0.items.contains { ["Alex", "Ali"].contains($0.assignee) }
    }
    projects("ALL items.assignee IN { 'Alex', 'Ali' }") {
      $0.items.allSatisfy { ["Alex", "Ali"].contains($0.assignee) }
    }
    projects(
      "SUBQUERY(items, $item, $item.isComplete == false AND $item.assignee == 'Alex').@count > 0"
    ) { $0.items.contains { !$0.isComplete && $0.assignee == "Alex" } }
    projects("SUBQUERY(items, $item, $item.isComplete == true).@count >= quota") { project in
      project.quota.map { project.items.filter(\.isComplete).count >= $0 } ?? false
    }
  }

  @Test func lists() throws {
    projects("oid(6489f036f7bd054637730307) IN items.id") {
      $0.items.contains { $0.priority >= 0 && "\($0.id)".hasSuffix("07") }
    }
    projects("ANY items.name == {$0, $1}", "fly", "Écrire") {
      $0.items.contains { ["fly", "Écrire"].contains($0.name) }
    }
    projects("quota == ANY {1, 2}") { $0.quota == 1 || $0.quota == 2 }
    projects("quota == {1, 2}") { $0.quota == 1 || $0.quota == 2 }
    projects("quota == NONE {1, 2}") { $0.quota != 1 && $0.quota != 2 }
    projects("quota != ALL $0", [1, 2]) { $0.quota != 1 && $0.quota != 2 }
    projects("quota > ALL {1, 2}") { $0.quota.map { $0 > 2 } ?? false }
    projects("quota IN ANY scores") { project in
      project.quota.map(project.scores.contains) ?? false
    }
    projects("quota IN scores") { project in project.quota.map(project.scores.contains) ?? false }
    projects("ANY scores > ALL {1, 3}") { $0.scores.contains { $0 > 3 } }
    projects("ALL scores > 1") { $0.scores.allSatisfy { $0 > 1 } }
    projects("ALL scores IN {1, 2, 3}") { $0.scores.allSatisfy { (1...3).contains($0) } }
    projects("ALL scores == NONE {1, 2}") { !$0.scores.contains(1) && !$0.scores.contains(2) }
    projects("NONE scores > ALL {2, 4}") { !$0.scores.contains { $0 > 4 } }
    projects("ANY scores <= NONE {1, 2}") { $0.scores.contains { $0 > 2 } }
    projects("NONE scores < NONE {1, 2}") { !$0.scores.contains { $0 >= 2 } }
    projects("ANY {1, 2} == ALL scores") { project in
      (1...2).contains { number in project.scores.allSatisfy { $0 == number } }
    }
    projects("ANY items.name ==[c] {'FLY'}") { $0.items.contains { $0.name == "fly" } }
    projects("ANY items.name BEGINSWITH {'fl', 'wr'}") {
      $0.items.contains { $0.name.hasPrefix("fl") || $0.name.hasPrefix("wr") }
    }
    let all = realm.objects(WorkProject.self)
    for (format, isTrue) in [
      ("ANY {1, 2, 3} > ALL {1, 2}", true), ("ANY {1, 2, 3} == NONE {1, 2}", true),
      ("ANY {4, 8} == ANY {5, 9, 11}", false), ("ANY {1, 2, 7} <= NONE {1, 2}", true),
      ("ALL {1, 2} IN ANY {1, 2, 3}", true), ("ALL {3, 1, 4, 3} == NONE {1, 2}", false),
      ("ALL {} in ALL {1, 2}", true), ("NONE {1, 2, 3, 12} > ALL {5, 9, 11}", false),
      ("NONE {4, 8} > ALL {5, 9, 11}", true), ("NONE {0, 1} < NONE {1, 2}", true),
    ] {
      expectEqual(all.filter(format).count, (isTrue ? 40 : 0), "\(format)")
    }
  }

  @Test func dictionariesAndTypes() {
    projects("ANY dict.@keys == $0 AND id > 3", "foo") { $0.id > 3 }
    projects("dict['foo'] == $0", "bar") { $0.dict["foo"] == .string("bar") }
    projects("dict.@count > $0 AND id < 5", 1) { $0.id < 5 }
    projects("ANY dict.@values == 0.5") { $0.dict["baz"] == .double(0.5) }
    projects("ANY dict.@type == 'string'") { $0.dict["foo"] == .string("bar") }
    projects("dict.@type == 'string'") { $0.dict["foo"] == .string("bar") }
    projects("ALL dict.@type != 'double'") { $0.dict["baz"] == .bool(false) }
    projects("NONE dict.@type == 'double'") { $0.dict["baz"] == .bool(false) }
    projects("any.@type == 'numeric'") { $0.id % 4 == 0 || $0.id % 4 == 3 }
    projects("any.@type != 'numeric'") { $0.id % 4 == 1 || $0.id % 4 == 2 }
    projects("any.@type == 'decimal'") { $0.id % 4 == 3 }
    projects("any.@type == 'link'") { $0.id % 4 == 2 }
    projects("any.@type IN {'string', 'int'}") { $0.id % 4 < 2 }
  }

  @Test func backlinks() {
    items("ANY projects.quota > 3") { $0.projects.contains { ($0.quota ?? 0) > 3 } }
    items("@links.WorkProject.items.quota > 3") { $0.projects.contains { ($0.quota ?? 0) > 3 } }
    items("ANY @links.WorkProject.items.quota > 3") {
      $0.projects.contains { ($0.quota ?? 0) > 3 }
    }
    items("ALL @links.WorkProject.items.quota > 0") {
      $0.projects.allSatisfy { ($0.quota ?? 0) > 0 }
    }
    items("projects.@count > 2") { $0.projects.count > 2 }
    items("@links.WorkProject.items.@count == 0") { $0.projects.isEmpty }
    items("@links.WorkProject.items.items.@avg.progressMinutes > 80") {
      let all = $0.projects.flatMap { $0.items.map(\.progressMinutes) }
      return !all.isEmpty && Double(all.reduce(0, +)) / Double(all.count) > 80
    }
    let mains = Set(realm.objects(WorkProject.self).compactMap { $0.main?.id })
    items("@links.@count == 0") { item in
      item.projects.isEmpty && !mains.contains(item.id)
        && !realm.objects(WorkProject.self).contains { $0.any.object(WorkItem.self)?.id == item.id }
    }
  }

  @Test func objectsAreNamedByTheirKeys() throws {
    let item = realm.objects(WorkItem.self)[7]
    projects("ANY items == obj('WorkItem', oid(6489f036f7bd054637730307))") {
      $0.items.contains(item)
    }
    projects("main == obj(WorkItem, oid(6489f036f7bd054637730307))") { $0.main == item }
    let project = realm.objects(WorkProject.self)[4]
    projects("SELF == $0", project) { $0.id == 4 }
    projects("self != %@", project) { $0.id != 4 }
    projects("SELF IN $0", [project, realm.objects(WorkProject.self)[9]]) {
      $0.id == 4 || $0.id == 9
    }
    projects("SUBQUERY(items, $i, $i == $0 OR $i.priority > 10).@count > 0", item) {
      $0.items.contains { $0 == item || $0.priority > 10 }
    }
    #expect(realm.objects(WorkProject.self).filter("main == obj(WorkItem, $0)", ObjectId()).isEmpty)
    expectEqual(realm.objects(WorkProject.self).where { $0 == project }.first, project)
    let list = try #require(realm.objects(WorkProject.self).first { $0.items.contains(item) }).items
    expectEqual(list.filter("self == %@", item).count, Array(list).filter { $0 == item }.count)
  }

  @Test func orderAndLimits() {
    let found = realm.objects(WorkItem.self)
      .filter("assignee == 'Ali' SORT(priority DESC) DISTINCT(priority) LIMIT(5)")
    var expected: [Int] = []
    for item in Array(realm.objects(WorkItem.self)).filter({ $0.assignee == "Ali" })
      .sorted(by: { $0.priority > $1.priority }) where !expected.contains(item.priority)
    {
      expected.append(item.priority)
    }
    expectEqual(Array(found.map(\.priority)), Array(expected.prefix(5)))
    expectEqual(
      realm.objects(WorkProject.self)
        .filter("TRUEPREDICATE SORT(dict['foo'] ASC, id DESC) LIMIT(1)").first?.dict["foo"],
      AnyRealmValue.none)
  }

  @Test func regions() {
    projects("place GEOWITHIN geoCircle([10, 50], 0.05)") { project in
      project.place != nil && (6...14).contains(project.id)
    }
    projects("place geoWithin geoBox([5, 40], [12.5, 60])") {
      $0.place != nil && (5...12).contains($0.id)
    }
    projects("place geoWithin geoBox([$0, 40], [$1, 60, 3])", 5, 12.5) {
      $0.place != nil && (5...12).contains($0.id)
    }
    projects(
      "place GEOWITHIN geoPolygon({[5.5, 40], [12.5, 40], [12.5, 60], [5.5, 60], [5.5, 40]}, "
        + "{[8.5, 45], [9.5, 45], [9.5, 55], [8.5, 55], [8.5, 45]})"
    ) { $0.place != nil && (6...12).contains($0.id) && $0.id != 9 }
  }

  @Test(arguments: [
    (
      "place GEOWITHIN geoCircle([0, 0], -1)", "for parameter 'geoCircle': 'the radius is negative'"
    ),
    (
      "place GEOWITHIN geoBox([0, 91], [0, 0])", "there is no place with longitude 0.0, latitude 91"
    ),
    ("place GEOWITHIN geoPolygon({[0, 0], [1, 1], [0, 0]})", "a ring needs at least four points"),
    ("place GEOWITHIN geoBox([0], [1, 1])", "expected longitude and latitude at column 26"),
    ("main == obj(Nothing, 3)", "there is no class 'Nothing'"),
    ("any == B64'?'", "expected bytes in base 64 at column 11"),
    ("quota > ALL id", "Aggregate operations can only be used on key paths"),
    ("name IN id", "Aggregate operations can only be used on key paths"),
    ("self > %@", "argument 1 is missing"),
    ("scores == {'x'}", "Cannot compare value 'x' of type 'string' to property 'scores'"),
  ])
  func misuseIsToldAtTheCall(format: String, text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [format] in
      let file = try TemporaryRealm([WorkItem.self, WorkProject.self, WorkPlace.self])
      _ = try file.open().objects(WorkProject.self).filter(format)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains(text), "\(output)")
  }
}
