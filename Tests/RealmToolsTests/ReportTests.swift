// SPDX-License-Identifier: Apache-2.0

// What is reported of files, whole and damaged.

import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import Testing

struct ReportTests {
  @Test func theFactsOfAFile() throws {
    let sample = try SampleRealm(dogCount: 300)
    let report = try FileReport(path: sample.path)
    #expect(report.format == 24)
    #expect(report.schemaVersion == 3)
    #expect(report.version == 2)
    #expect(report.historyText == "local")
    #expect(report.classes.map(\.name) == ["Address", "Dog", "Person"])
    #expect(report.classes.map(\.count) == [1, 302, 2])
    #expect(report.byteCount == (try sample.state().0.count))
    #expect((report.usedByteCount ?? 0) + (report.freeByteCount ?? 0) == report.byteCount)
    #expect(report.json["classes"]?.array?[1]["objects"] == .integer(302))
  }

  @Test func readersOfTheFileAreReported() throws {
    let sample = try SampleRealm()
    // Another registry acts as another process.
    let writer = try DatabaseFile.open(
      path: sample.path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let snapshot = try writer.snapshot()
    let report = try FileReport(path: sample.path)
    #expect(report.liveVersions == [snapshot.version])
    #expect(report.json["openElsewhere"] == .bool(true))
  }

  @Test func damageIsFoundAndAdviceGiven() throws {
    let sample = try SampleRealm(dogCount: 600)
    #expect(try IntegrityReport(path: sample.path).advice == nil)
    var random = SeededGenerator(seed: 5)
    var found = 0
    for _ in 0..<20 {
      var (bytes, _) = try sample.state()
      for _ in 0..<40 { bytes[Int.random(in: 24..<bytes.count, using: &random)] ^= 0xFF }
      let path = sample.directory.file("damaged.realm")
      try bytes.write(to: URL(fileURLWithPath: path))
      let report = try IntegrityReport(path: path)
      if report.isDamaged {
        found += 1
        #expect(report.advice?.contains("realm salvage") == true)
        #expect(report.json["damaged"] == .bool(true))
      }
    }
    #expect(found >= 15)
  }
}
