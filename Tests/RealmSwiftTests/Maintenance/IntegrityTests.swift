// SPDX-License-Identifier: Apache-2.0

// `Realm.verifyIntegrity`: what it finds, in whole and damaged files, open and closed.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

struct IntegrityTests {
  @Test(arguments: [nil, UpkeepSample.key])
  func aWholeFileHasNoFindings(_ key: Data?) async throws {
    let sample = try UpkeepSample(key: key)
    let parts = Mutex<[Double]>([])
    let report = try await Realm.verifyIntegrity(configuration: sample.file.configuration) { part in
      parts.withLock { $0.append(part) }
    }
    expectEqual(report.findings, [])
    expectFalse(report.isDamaged)
    expectTrue(report.version > 1)
    expectTrue(report.verifiedNodeCount > 30, "\(report.verifiedNodeCount)")
    expectEqual(report.uncheckedNodeCount, 0)
    let seen = parts.withLock { $0 }
    expectEqual(seen, seen.sorted())
    expectEqual(seen.last, 1)
  }

  @Test func theFileMayBeOpenAndIsNotChanged() async throws {
    let sample = try UpkeepSample()
    let realm = try sample.file.open().freeze()
    let before = try Data(contentsOf: sample.url)
    let report = try await Realm.verifyIntegrity(configuration: sample.file.configuration)
    expectEqual(report.findings, [])
    expectEqual(realm.objects(Person.self).count, 500)
    try expectEqual(Data(contentsOf: sample.url), before)
  }

  /// A number with a flipped bit is a number: nothing but the checksum tells.
  @Test func aFlippedBitIsFoundAndNamed() async throws {
    let sample = try UpkeepSample()
    let (configuration, offset) = try sample.damagedCopy()
    let report = try await Realm.verifyIntegrity(configuration: configuration)
    expectTrue(report.isDamaged)
    expectEqual(report.findings.count, 1)
    let finding = try #require(report.findings.first)
    expectEqual(finding.severity, .error)
    expectFalse(report.findings.contains { $0.severity == .warning })
    expectEqual(finding.check, 38)
    expectEqual(finding.className, "Person")
    expectEqual(finding.propertyName, "age")
    expectEqual(finding.objectKey, nil)
    expectEqual(finding.byteOffset, offset)
    expectTrue(finding.message.contains("checksum"))
    expectEqual(finding.description, "error 38 Person.age: \(finding.message)")
  }

  /// The same bit is an error where it is read, if the configuration asks for that.
  @Test func aFlippedBitIsFoundByReadingWithChecksums() throws {
    let sample = try UpkeepSample()
    var (configuration, _) = try sample.damagedCopy()
    let sum = try Realm.snapshot(of: sample.file.configuration) { realm in
      realm.objects(Person.self).sum(of: \.age) as Int
    }
    let wrong = try Realm.snapshot(of: configuration) { realm in
      realm.objects(Person.self).sum(of: \.age) as Int
    }
    expectTrue(wrong != sum)
    configuration.verifiesChecksums = true
    for read in [
      { realm in _ = realm.objects(Person.self).first?.age },
      { realm in _ = realm.objects(Person.self).sum(of: \.age) as Int },
      { realm in _ = realm.objects(Person.self).where { $0.age > 3 }.count },
    ] as [@Sendable (Realm) -> Void] {
      let error = #expect(throws: Realm.Error.self) {
        try Realm.snapshot(of: configuration) { read($0) }
      }
      let text = try #require(error).localizedDescription
      expectTrue(text.contains("checksum") && text.contains("'Person.age'"), "\(text)")
    }
    // Everything else of the file is read as before.
    let names = try Realm.snapshot(of: configuration) { realm in
      realm.objects(Person.self).where { $0.name == "secret 7" }.count
    }
    expectEqual(names, 1)
  }

  @Test func damageThatPreventsOpeningIsAFinding() async throws {
    let sample = try UpkeepSample()
    var bytes = try Data(contentsOf: sample.url)
    // The top array says that it has another number of slots.
    let slot = bytes[23] & 1
    let top = bytes[Int(slot) * 8..<Int(slot) * 8 + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    bytes[top + 7] ^= 4
    var configuration = sample.file.configuration
    configuration.fileURL = sample.url(named: "closed.realm")
    try bytes.write(to: sample.url(named: "closed.realm"))
    let report = try await Realm.verifyIntegrity(configuration: configuration)
    expectTrue(report.isDamaged)
    expectEqual(report.version, 0)
  }

  @Test func whatCannotBeCheckedThrows() async throws {
    let sample = try UpkeepSample(key: UpkeepSample.key, count: 5)
    var missing = sample.file.configuration
    missing.fileURL = sample.url(named: "missing.realm")
    await #expect(throws: Realm.Error.self) {
      try await Realm.verifyIntegrity(configuration: missing)
    }
    expectFalse(FileManager.default.fileExists(atPath: sample.url(named: "missing.realm").path))
    var plain = sample.file.configuration
    plain.encryptionKey = nil
    await #expect(throws: Realm.Error.self) {
      try await Realm.verifyIntegrity(configuration: plain)
    }
    let memory = Realm.Configuration(inMemoryIdentifier: "no file")
    let error = await #expect(throws: Realm.Error.self) {
      try await Realm.verifyIntegrity(configuration: memory)
    }
    expectEqual(error?.code, .invalidInput)
  }

  @Test func aCancelledCheckEnds() async throws {
    let sample = try UpkeepSample()
    let configuration = sample.file.configuration
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Realm.verifyIntegrity(configuration: configuration)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
