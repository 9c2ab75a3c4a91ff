// SPDX-License-Identifier: Apache-2.0

// What is saved of damaged files.

#if Tools
import Foundation
import RealmFormats
import RealmSalvage
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct SalvageTests {
  private static let dogCount = 4000

  /// The names of the dogs of a file by their keys.
  private func names(_ path: String) throws -> [ObjectKey: String] {
    let reader = try RealmReader(path: path)
    defer { withExtendedLifetime(reader) {} }
    let table = try #require(try reader.group.table(named: "class_Dog"))
    let column = try #require(table.schema.column(named: "name"))
    var result: [ObjectKey: String] = [:]
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        if case .string(let name) = try cluster.row(at: index).value(of: column) {
          result[cluster.key(at: index)] = name
        }
      }
    }
    return result
  }

  @Test func aWholeFileIsSavedAsAWhole() throws {
    let sample = try SampleRealm(dogCount: 500)
    let target = sample.directory.file("saved.realm")
    let before = try sample.state().0
    let report = try Salvage.run(sample.path, key: nil, to: target)
    expectTrue(report.isWhole, "\(report)")
    expectEqual(report.savedCount, 504)
    let count = try FileDifference(
      try RealmReader(path: sample.path).group, try RealmReader(path: target).group
    ).forEach { Issue.record("\($0)") }
    expectEqual(count, 0)
    try expectEqual(RealmReader(path: target).group.schemaVersion(), 3)
    #expect(try !IntegrityReport(path: target).isDamaged)
    try expectEqual(sample.state().0, before)
    expectTrue(!FileManager.default.fileExists(atPath: target + ".unfinished"))
  }

  @Test func whatIsNoRealmGivesNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("text")
    for text in ["", "short", String(repeating: "AAAA\u{46}\0\0\u{3}", count: 500)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: (any Error).self) {
        try Salvage.run(path, key: nil, to: directory.file("saved.realm"))
      }
    }
  }

  /// `Salvage` 2: a header of a node in the cluster tree is destroyed, so one cluster is lost, and
  /// no other object.
  @Test(.heavy) func everythingOutsideOfTheDamageIsSaved() throws {
    let sample = try SampleRealm(dogCount: Self.dogCount)
    let all = try names(sample.path)
    let (bytes, _) = try sample.state()
    let reader = try RealmReader(path: sample.path)
    defer { withExtendedLifetime(reader) {} }
    let table = try #require(try reader.group.table(named: "class_Dog"))
    let root = try table.space.node(at: table.clusterRoot)
    let inner = try InnerCluster(root, in: table.space)
    var random = SeededGenerator(seed: 3)
    for round in 0..<8 {
      let child = Int.random(in: 0..<inner.childCount, using: &random)
      let ref = try inner.ref(of: child)
      let first = ObjectKey(Int64(bitPattern: inner.offset(of: child)))
      let lost = try Set(
        Cluster(
          table.space.node(at: ref), offset: first.ordinal, enumerations: table.enumerations,
          in: table.space
        )
        .allKeys)
      let damaged = sample.directory.file("damaged\(round).realm")
      var copy = bytes
      for offset in 0..<8 { copy[ref.offset + offset] = 0xFF }
      try copy.write(to: URL(fileURLWithPath: damaged))
      #expect(try IntegrityReport(path: damaged).isDamaged)
      let target = sample.directory.file("saved\(round).realm")
      let report = try Salvage.run(damaged, key: nil, to: target)
      expectFalse(report.isWhole)
      expectEqual(report.classes.first { $0.name == "Dog" }?.lostObjects, lost.count)
      try expectEqual(names(target), all.filter { !lost.contains($0.key) })
      #expect(try !IntegrityReport(path: target).isDamaged)
    }
  }

  /// A damaged leaf of one property costs its values, and no object.
  @Test func objectsOutliveTheirValues() throws {
    let sample = try SampleRealm(dogCount: Self.dogCount)
    var (bytes, _) = try sample.state()
    let reader = try RealmReader(path: sample.path)
    defer { withExtendedLifetime(reader) {} }
    let table = try #require(try reader.group.table(named: "class_Dog"))
    let column = try #require(table.schema.column(named: "name"))
    var cursor = table.clusterCursor()
    _ = try cursor.next()
    let cluster = try #require(try cursor.next())
    let leaf = try cluster.leafRef(column.leafIndex)
    for offset in 0..<8 { bytes[leaf.offset + offset] = 0xFF }
    let damaged = sample.directory.file("damaged.realm")
    try bytes.write(to: URL(fileURLWithPath: damaged))
    let target = sample.directory.file("saved.realm")
    let report = try Salvage.run(damaged, key: nil, to: target)
    let dogs = try #require(report.classes.first { $0.name == "Dog" })
    expectEqual(dogs.saved, Self.dogCount + 2)
    expectEqual(dogs.lostValues, cluster.count)
    let saved = try names(target)
    expectEqual(saved.values.count { $0.isEmpty }, cluster.count)
  }

  /// Bytes are flipped anywhere: nothing traps or hangs, and what is written is whole.
  @Test func randomDamageNeverStopsIt() throws {
    let sample = try SampleRealm(dogCount: 700)
    let (bytes, _) = try sample.state()
    var random = SeededGenerator(seed: 11)
    var saved = 0
    for round in 0..<30 {
      var copy = bytes
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        copy[Int.random(in: 24..<copy.count, using: &random)] ^=
          UInt8.random(in: 1...255, using: &random)
      }
      let damaged = sample.directory.file("d\(round).realm")
      try copy.write(to: URL(fileURLWithPath: damaged))
      let target = sample.directory.file("s\(round).realm")
      do {
        saved += try Salvage.run(damaged, key: nil, to: target).savedCount
        #expect(try !IntegrityReport(path: target).isDamaged, "round \(round)")
      } catch {
        expectFalse(FileManager.default.fileExists(atPath: target), "round \(round)")
      }
    }
    expectTrue(saved > 15 * 700)
  }

  @Test func theVersionBeforeIsUsedIfTheNewestCannotBeOpened() throws {
    let sample = try SampleRealm(dogCount: 20)
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try writer.write { group in
      try group.table(named: "class_Dog")?.createObject()
    }
    var (bytes, _) = try sample.state()
    let top = try writer.file.snapshot().topRef
    for offset in 0..<8 { bytes[top.offset + offset] = 0xFF }
    let damaged = sample.directory.file("damaged.realm")
    try bytes.write(to: URL(fileURLWithPath: damaged))
    let target = sample.directory.file("saved.realm")
    let report = try Salvage.run(damaged, key: nil, to: target)
    expectTrue(report.isOlderVersion)
    expectFalse(report.isWhole)
    try expectEqual(names(target).count, 22)
  }

  @Test func whatIsNoRealmIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("text")
    try Data(String(repeating: "text ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: StorageError.self) {
      try Salvage.run(path, key: nil, to: directory.file("out.realm"))
    }
    #expect(throws: (any Error).self) {
      try Salvage.run(directory.file("none"), key: nil, to: directory.file("out.realm"))
    }
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: directory.path), ["text"])
  }
}

extension Cluster {
  fileprivate var allKeys: [ObjectKey] { (0..<count).map { key(at: $0) } }
}
#endif
