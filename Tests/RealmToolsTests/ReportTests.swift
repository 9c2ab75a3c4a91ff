// SPDX-License-Identifier: Apache-2.0

// What is reported of files, whole and damaged.

#if Tools
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
    expectEqual(report.pinnedByteCount, 0)
  }

  @Test func whoKeepsAnOldVersionIsReported() throws {
    let sample = try SampleRealm()
    let writer = try DatabaseFile.open(
      path: sample.path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
    let old = try writer.snapshot()
    let hold = VersionHold(old, by: .refreshing)
    for _ in 0..<2 {
      let write = try WriteGroup(writer.beginWrite())
      _ = try #require(try write.table(named: "class_Dog")).createObject()
      _ = try write.commit()
    }
    let report = try FileReport(path: sample.path)
    expectTrue(report.pinnedByteCount > 0)
    expectEqual(report.json["pinnedBytes"]?.integer, Int64(report.pinnedByteCount))
    let held = try #require(report.heldVersions.first)
    expectEqual(held.version, old.version)
    let process = ProcessInfo.processInfo.processIdentifier
    let text = try #require(held.holderTexts.first)
    expectTrue(text.hasPrefix("process \(process), thread "), "\(text)")
    expectTrue(text.hasSuffix(": refresh(), 0 s ago"), "\(text)")
    expectEqual(report.holderLines.first?.holder, text)
    expectEqual(report.holderLines.first?.version, old.version)
    let json = try #require(report.json["pinnedVersions"]?.array?.first)
    expectEqual(json["newerVersions"]?.integer, 2)
    expectEqual(json["holders"]?.array?.first?["process"]?.integer, Int64(process))
    expectTrue(hold != nil)
    let other = try #require(report.heldVersions.last)
    expectEqual(other.holderTexts, ["process \(process)"])
  }

  @Test func checksumsAreCounted() throws {
    let sample = try SampleRealm(dogCount: 600)
    let report = try IntegrityReport(path: sample.path)
    expectEqual(report.checksums.missing, 0)
    expectTrue(report.checksums.verified > 50)
    expectEqual(report.checksumText, "\(report.checksums.verified) checksums verified")
    expectEqual(
      report.json["checksums"]?["verified"], .integer(Int64(report.checksums.verified)))
    let reader = try RealmReader(path: sample.path)
    let table = try #require(try reader.group.table(named: "class_Dog"))
    let column = try #require(table.schema.column(named: "weight"))
    var cursor = table.clusterCursor()
    let leaf = try #require(try cursor.next()).leafRef(column.leafIndex)
    var (bytes, _) = try sample.state()
    // The lowest bit of a weight: nothing but the checksum tells.
    bytes[leaf.offset + NodeHeader.byteCount] ^= 1
    let path = sample.directory.file("damaged.realm")
    try bytes.write(to: URL(fileURLWithPath: path))
    let damaged = try IntegrityReport(path: path)
    expectTrue(damaged.isDamaged)
    expectEqual(damaged.findings.map(\.property), ["weight"])
    expectEqual(damaged.json["findings"]?.array?.first?["byte"], .integer(Int64(leaf.offset)))
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
#endif
