// SPDX-License-Identifier: Apache-2.0

// What results say of how they are found.

import RealmTestSupport
import Testing

@testable import RealmSwift

private final class Job: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var worker: String
  @Persisted var priority: Int
  @Persisted var note: String
  @Persisted(indexed: .fullText) var text: String
  @Persisted var tags: List<String>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ExplainTests {
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
    }
    jobs = realm.objects(Job.self)
  }

  @Test func scansTestTheCheapAndSelectiveFirst() {
    let text = jobs.where { $0.note.contains("7") && $0.priority == 3 && $0.priority != 9 }
      .explain()
    #expect(
      text
        == "scan: 1000 objects\n"
        + "test: priority == 3, then priority != 9, then note CONTAINS \"7\"")
    #expect(
      jobs.where { $0.priority > 1 && $0.priority < 4 }.explain()
        == "scan: 1000 objects\ntest: priority > 1 and priority < 4")
    #expect(jobs.explain() == "scan: 1000 objects")
  }

  @Test func indexesAreNamed() {
    #expect(
      jobs.where { $0.priority > 1 && $0.worker == "owner 5" }.explain()
        == "index: worker == \"owner 5\", 10 of 1000 objects\n"
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
    #expect(
      text == "scan: 1000 objects\ntest: priority > 3\nsort: note descending, the first 5\n"
        + "limit: 5\ndistinct: worker")
    #expect(
      jobs.offset(3).limit(4).explain()
        == "scan: 1000 objects\nstop: after 7 objects\noffset: 3\nlimit: 4")
  }
}
