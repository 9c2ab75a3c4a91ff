// SPDX-License-Identifier: Apache-2.0

// What is reported of files, whole and damaged.

import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct ReportTests {
  @Test func theFactsOfAFile() throws {
    let sample = try SampleRealm(dogCount: 300)
    let report = try FileReport(path: sample.path)
    expectEqual(report.format, 24)
    expectEqual(report.schemaVersion, 3)
    expectEqual(report.version, 2)
    expectEqual(report.historyText, "local")
    expectEqual(report.classes.map(\.name), ["Address", "Dog", "Person"])
    expectEqual(report.classes.map(\.count), [1, 302, 2])
    expectEqual(report.byteCount, (try sample.state().0.count))
    expectEqual((report.usedByteCount ?? 0) + (report.freeByteCount ?? 0), report.byteCount)
    expectEqual(report.json["classes"]?.array?[1]["objects"], .integer(302))
  }

  @Test func readersOfTheFileAreReported() throws {
    let sample = try SampleRealm()
    // Another registry acts as another process.
    let writer = try DatabaseFile.open(
      path: sample.path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let snapshot = try writer.snapshot()
    let report = try FileReport(path: sample.path)
    expectEqual(report.liveVersions, [snapshot.version])
    expectEqual(report.json["openElsewhere"], .bool(true))
  }

  @Test func damageIsFoundAndAdviceGiven() throws {
    let sample = try SampleRealm(dogCount: 600)
    try expectEqual(IntegrityReport(path: sample.path).advice, nil)
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
        expectEqual(report.advice?.contains("realm salvage"), true)
        expectEqual(report.json["damaged"], .bool(true))
      }
    }
    expectTrue(found >= 15)
  }
}
