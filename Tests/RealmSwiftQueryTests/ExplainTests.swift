// SPDX-License-Identifier: Apache-2.0

// What results say of how they are found.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery
@testable import RealmSwift

private final class Job: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var worker: String
  @Persisted var priority: Int
  @Persisted var note: String
  @Persisted(indexed: .fullText) var text: String
  @Persisted var tags: List<String>
  @Persisted var before: Job?
  @Persisted var after: List<Job>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct ExplainTests {
  private let file: TemporaryRealm
  private let jobs: Results<Job>

  init() throws {
    file = try TemporaryRealm([Job.self])
    let realm = try file.open()
    try realm.write {
      for id in 0..<1000 {
        realm.create(
          Job.self,
          value: [
            "id": id, "worker": "owner \(id % 100)", "priority": id % 7, "note": "\(id)",
            "text": id % 20 == 0 ? "rare words" : "usual words",
          ])
      }
      let all = Array(realm.objects(Job.self))
      for (job, next) in zip(all, all.dropFirst()) { next.before = job }
      all[0].after.append(objectsIn: all[1...2])
      all[0].tags.append("a")
    }
    jobs = realm.objects(Job.self)
  }

  /// `QueryPlan` 2
  @Test func scansTestTheCheapAndSelectiveFirst() {
    let text = jobs.where { $0.note.contains("7") && $0.priority == 3 && $0.priority != 9 }
      .explain()
    expectEqual(
      text,
      "scan: 1000 objects\n"
        + "test: priority == 3, then priority != 9, then note CONTAINS \"7\"")
    expectEqual(
      jobs.where { $0.priority > 1 && $0.priority < 4 }.explain(),
      "scan: 1000 objects\ntest: priority > 1 and priority < 4")
    expectEqual(
      jobs.where { $0.note.contains("7") || $0.priority != 9 }.explain(),
      "scan: 1000 objects\ntest: (priority != 9 or else note CONTAINS \"7\")")
    expectEqual(jobs.explain(), "scan: 1000 objects")
  }

  @Test func indexesAreNamed() {
    expectEqual(
      jobs.where { $0.priority > 1 && $0.worker == "owner 5" }.explain(),
      "index: worker == \"owner 5\", 10 of 1000 objects\n"
        + "test: priority > 1, then worker == \"owner 5\"")
    #expect(
      jobs.where { $0.worker.in(["owner 5", "owner 6"]) }.explain().hasPrefix(
        "index: worker IN {\"owner 5\", \"owner 6\"}, 20 of 1000 objects"))
    #expect(
      jobs.where { $0.worker.starts(with: "owner 9") }.explain().hasPrefix(
        "index: worker BEGINSWITH \"owner 9\", 110 of 1000 objects"))
    #expect(
      jobs.where { $0.text.text(matching: "rare") }.explain().hasPrefix(
        "index: text TEXT \"rare\", 50 of 1000 objects"))
    #expect(jobs.where { $0.id == 5 }.explain().hasPrefix("index: id == 5, 1 of 1000 objects"))
    // The smaller of two is used.
    #expect(
      jobs.where { $0.text.text(matching: "rare") && $0.worker == "owner 0" }.explain()
        .hasPrefix("index: worker == \"owner 0\", 10"))
    #expect(
      jobs.where { $0.id == 5 || $0.worker == "owner 7" }.explain().hasPrefix(
        "index: id == 5 OR worker == \"owner 7\", 11 of 1000 objects"))
    // An index that leaves most of the objects is not.
    #expect(jobs.where { $0.worker.starts(with: "own") }.explain().hasPrefix("scan:"))
    #expect(jobs.where { $0.id == 5 || $0.priority == 1 }.explain().hasPrefix("scan:"))
  }

  @Test func ordersAndCutsAreTold() {
    let text = jobs.where { $0.priority > 3 }.sorted(byKeyPath: "note", ascending: false)
      .limit(5).distinct(by: ["worker"]).explain()
    expectEqual(
      text,
      "scan: 1000 objects\ntest: priority > 3\npick: the first 5 by note descending\n"
        + "limit: 5\ndistinct: worker")
    expectEqual(
      jobs.offset(3).limit(4).explain(),
      "scan: 1000 objects\nstop: after 7 objects\noffset: 3\nlimit: 4")
    expectEqual(
      jobs.sorted(byKeyPath: "priority").explain(),
      "scan: 1000 objects\nsort: priority ascending, by radix")
    expectEqual(
      jobs.sorted(by: ["priority", "note"]).limit(3).explain(),
      "scan: 1000 objects\nsort: priority ascending, note ascending, by comparing, "
        + "the first 3\nlimit: 3")
    expectEqual(
      jobs.distinct(by: ["worker"]).limit(3).explain(),
      "scan: 1000 objects\ndistinct: worker, while looking\nlimit: 3")
    expectEqual(
      jobs.filter("tags.@count > 1 SORT(tags.@count DESC)").explain(),
      "scan: 1000 objects\ntest: tags.@count > 1\nsort: tags.@count descending, by comparing")
  }

  @Test func threadsAreTold() {
    let count = WorkerPool.shared.workerCount
    ScanParts.$smallestTable.withValue(500) {
      #expect(jobs.where { $0.priority > 3 }.explain().hasPrefix("scan: 1000 objects in "))
      #expect(
        jobs.where { $0.priority > 3 }.explain().contains(
          " parts by \(min(count, 4)) threads\n"))
      // One thread stops as soon as it can.
      expectTrue(jobs.limit(3).explain().hasPrefix("scan: 1000 objects\n"))
      #expect(jobs.sorted(byKeyPath: "note").limit(3).explain().hasPrefix("scan: 1000 objects\n"))
    }
  }

  @Test func conditionsOnLinkedObjectsTellHowTheyAreAnswered() {
    expectEqual(
      jobs.where { $0.before.worker == "owner 7" && $0.priority == 3 }.explain(),
      "scan: 1000 objects\ntest: priority == 3, "
        + "then before.worker == \"owner 7\" (10 of 1000 Job, by index)")
    expectEqual(
      jobs.where { $0.before.priority == 3 }.explain(),
      "scan: 1000 objects\ntest: before.priority == 3 (143 of 1000 Job, by scan)")
    expectEqual(
      jobs.filter("SUBQUERY(after, $j, $j.priority > 3).@count > 0").explain(),
      "scan: 1000 objects\ntest: SUBQUERY(after, $, priority > 3).@count > 0")
  }

  @Test func valuesAreToldAsStringsWriteThem() throws {
    let realm = try TemporaryRealm([MatrixRow.self, MatrixPart.self]).open()
    let rows = realm.objects(MatrixRow.self)
    func test(_ format: String, _ arguments: Any...) -> String {
      rows.filter(NSPredicate(format: format, argumentArray: arguments)).explain()
        .replacing("scan: 0 objects\ntest: ", with: "")
    }
    for format in [
      "date == 2020-02-29@23:05:00:7", "date < 1969-12-31@23:59:59:999999999", "date > T-1:0",
      "date >= 0001-01-01@00:00:00", "date <= T253402300800:0", "decimal == 12345678901234567890.5",
      "decimal > -0.05", "objectId == oid(0b3f1f77bcf86cd799439011)", "bool == true",
      "uuid != uuid(00241101-e2bb-4255-8caf-4136c566a962)", "stringOptional == nil",
      "children.@max.int > 3", "any[0]['k'].@type == \"string\"", "intMap['a'] IN {1, 2}",
      "(int %% 2) == 1", "ALL stringList CONTAINS[cd] \"x\"",
    ] {
      let told = format.replacing("T-1:0", with: "1969-12-31@23:59:59")
        .replacing("@type == \"string\"", with: "@type IN {\"string\"}")
      expectEqual(test(format), told)
    }
    for date in [Date.distantFuture, .distantPast, Date(timeIntervalSince1970: .infinity)] {
      expectTrue(test("date < %@", date).hasPrefix("date < "))
    }
  }

  @Test func collectionsAreTold() throws {
    let job = try #require(jobs.first)
    expectEqual(
      job.after.where { $0.priority == 3 }.sorted(byKeyPath: "note").limit(1).explain(),
      "elements: 2 of a collection, each by itself\ntest: priority == 3\n"
        + "sort: note ascending, by comparing\nlimit: 1")
    expectEqual(
      job.tags.filter("self BEGINSWITH 'a' OR self == nil SORT(self DESC)").explain(),
      "elements: 1 of a collection, each by itself\n"
        + "test: (self BEGINSWITH \"a\" OR self == nil)\nsort: self descending, by comparing")
    expectTrue(job.before == nil)
    expectEqual(
      jobs[1].before?.after.where { $0.before.worker == "x" }.explain(),
      "elements: 2 of a collection, each by itself\ntest: before.worker == \"x\"")
  }
}
