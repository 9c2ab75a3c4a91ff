// SPDX-License-Identifier: Apache-2.0

// `Realm.salvage`: what a program gets of its damaged files.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

struct SalvagedFileTests {
  private func configuration(_ sample: UpkeepSample, _ name: String) -> Realm.Configuration {
    var configuration = sample.file.configuration
    configuration.fileURL = sample.url(named: name)
    return configuration
  }

  @Test(arguments: [nil, UpkeepSample.key])
  func aWholeFileIsSavedAsAWhole(_ key: Data?) async throws {
    let sample = try UpkeepSample(key: key)
    let parts = Mutex<[Double]>([])
    let report = try await Realm.salvage(
      from: sample.url, to: sample.url(named: "saved.realm"), encryptionKey: key
    ) { part in parts.withLock { $0.append(part) } }
    expectTrue(report.isWhole, "\(report)")
    expectEqual(report.savedCount, 1000)
    expectEqual(report.problems, [])
    expectFalse(report.isOlderVersion || report.isFound)
    let people = try #require(report.classes.first { $0.name == "Person" })
    expectEqual(
      [people.expectedCount, people.savedCount, people.lostValueCount], [500, 500, 0])
    let seen = parts.withLock { $0 }
    expectEqual(seen, seen.sorted())
    expectEqual(seen.last, 1)
    let target = configuration(sample, "saved.realm")
    try {
      try expectEqual(
        UpkeepSample.dump(Realm(configuration: target)), UpkeepSample.dump(sample.file.open()))
    }()
    let check = try await Realm.verifyIntegrity(configuration: target)
    expectEqual(check.findings, [])
  }

  /// The header is gone: objects are found among the bytes.
  @Test func objectsAreFoundWithoutAHeader() async throws {
    let sample = try UpkeepSample()
    var bytes = try Data(contentsOf: sample.url)
    for index in 0..<24 { bytes[index] = 0xFF }
    let damaged = sample.url(named: "damaged.realm")
    try bytes.write(to: damaged)
    let report = try await Realm.salvage(from: damaged, to: sample.url(named: "saved.realm"))
    expectTrue(report.isFound)
    expectFalse(report.isWhole)
    expectEqual(report.savedCount, 1000)
    try expectEqual(Data(contentsOf: damaged), bytes)
    try {
      let saved = try Realm(configuration: configuration(sample, "saved.realm"))
      expectEqual(saved.object(ofType: Person.self, forPrimaryKey: 77)?.name, "secret 77")
    }()
  }

  @Test func whatCannotBeSavedThrowsAndLeavesNothing() async throws {
    let sample = try UpkeepSample(count: 5)
    let saved = sample.url(named: "saved.realm")
    let text = sample.url(named: "text")
    try Data("this is no realm file at all".utf8).write(to: text)
    await #expect(throws: Realm.Error.self) { try await Realm.salvage(from: text, to: saved) }
    let error = await #expect(throws: Realm.Error.self) {
      try await Realm.salvage(from: sample.url, to: text)
    }
    expectEqual(error?.code, .fileExists)
    let (url, target) = (sample.url, saved)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Realm.salvage(from: url, to: target)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let names = try FileManager.default.contentsOfDirectory(atPath: sample.file.directory.path)
    expectEqual(names.filter { $0.contains("saved") }, [])
  }
}
