// SPDX-License-Identifier: Apache-2.0

// Encrypted files: one that Realm Core wrote, and copies of the others with keys.

import Foundation
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Encrypted fixtures")
struct EncryptedFixtureTests {
  private let directory: TemporaryDirectory
  private let bytes = (0..<64).map { UInt8($0) &* 7 &+ 5 }
  private let key: EncryptionKey

  init() throws {
    directory = try TemporaryDirectory()
    key = try #require(EncryptionKey(bytes))
  }

  private func open(
    _ path: String, _ key: EncryptionKey?, isReadOnly: Bool = false
  ) throws -> DatabaseFile {
    try DatabaseFile.open(
      path: path,
      options: OpenOptions(isReadOnly: isReadOnly, mustExist: true, encryptionKey: key))
  }

  private func dump(_ file: DatabaseFile) throws -> JSONValue {
    try ContentDump(TableGroup(file.snapshot())).json()
  }

  private func copy(_ file: DatabaseFile, to name: String, _ key: EncryptionKey?) throws -> String {
    let path = directory.file(name)
    let target = try SystemFiles().open(path: path, mode: .readWriteCreating)
    try file.snapshot().write(to: target, key: key)
    return path
  }

  /// Expects the reference reader to find nothing wrong with an encrypted file of ours.
  private func expectReferenceAgrees(_ file: DatabaseFile, _ key: [UInt8]) throws {
    guard ReferenceReader.isAvailable else { return }
    let report = try ReferenceReader.check(file.path, key: key)
    expectTrue(report.errors.isEmpty, "\(report)")
    expectTrue(report.warnings.isEmpty, "\(report)")
    let reference = try ReferenceReader.dump(file.path, key: key)
    let differences = JSONValue.differences(
      expected: reference["tables"] ?? [], actual: try dump(file))
    expectTrue(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }

  // MARK: Realm Core's

  private func fixtureKey() throws -> EncryptionKey {
    let text = try String(
      decoding: Fixture.data(ofFile: "encrypted.key.txt"), as: UTF8.self)
    let digits = Array(text.filter(\.isHexDigit))
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
    return try #require(EncryptionKey(bytes))
  }

  @Test("of Realm Core hold what it reads in them, and are written on")
  func realmCore() throws {
    let fixture = try Fixture("encrypted")
    let key = try fixtureKey()
    let expected = try fixture.expected()["tables"] ?? []
    do {
      let file = try open(fixture.path, key, isReadOnly: true)
      expectEqual(JSONValue.differences(expected: expected, actual: try dump(file)), [])
      #expect(try DatabaseCheck.run(file.snapshot()).isEmpty)
    }
    let path = try directory.copy(of: fixture.path)
    for _ in 0..<3 {
      let file = try open(path, key)
      try expectEqual(dump(file), expected)
      for _ in 0..<5 { _ = try WriteGroup(file.beginWrite()).commit() }
      #expect(try DatabaseCheck.run(file.snapshot()).isEmpty)
    }
    #expect(throws: StorageError.self) { try open(path, self.key) }
    #expect(throws: StorageError.self) { try open(path, nil) }
  }

  // MARK: Ours

  /// Copies are written anew, so one of the three files with equal contents is enough.
  @Test(
    "hold the same with a key, with another one, and without", .heavy,
    arguments: Fixture.names.filter { !["compacted", "streaming"].contains($0) })
  func copies(name: String) throws {
    let source = try open(Fixture(name).path, nil, isReadOnly: true)
    let expected = try dump(source)
    let encrypted = try open(copy(source, to: "encrypted.realm", key), key)
    try expectEqual(dump(encrypted), expected)
    #expect(try DatabaseCheck.run(encrypted.snapshot()).isEmpty)
    _ = try WriteGroup(encrypted.beginWrite()).commit()
    try expectEqual(dump(encrypted), expected)
    #expect(try DatabaseCheck.run(encrypted.snapshot()).isEmpty)
    let otherKey = try #require(EncryptionKey(bytes.reversed()))
    let other = try open(copy(encrypted, to: "other.realm", otherKey), otherKey)
    try expectEqual(dump(other), expected)
    let plain = try open(copy(other, to: "plain.realm", nil), nil)
    try expectEqual(dump(plain), expected)
    try TableGroup(plain.snapshot()).expectReferenceAgrees(on: expected)
  }

  /// The reference reader decrypts about 100 KiB a second.
  @Test(
    "are read by a reader that shares no code with ours", .heavy,
    arguments: ["blank", "empty", "schema-changes", "tombstones"])
  func referenceReader(name: String) throws {
    let source = try open(Fixture(name).path, nil, isReadOnly: true)
    let file = try open(copy(source, to: "encrypted.realm", key), key)
    try expectReferenceAgrees(file, bytes)
    for _ in 0..<4 { _ = try WriteGroup(file.beginWrite()).commit() }
    try expectReferenceAgrees(file, bytes)
  }

  @Test("are compacted with their key")
  func compaction() throws {
    let source = try open(Fixture("after-many-commits").path, nil, isReadOnly: true)
    let expected = try dump(source)
    let path = try copy(source, to: "a.realm", key)
    do {
      let file = try open(path, key)
      for _ in 0..<20 { _ = try WriteGroup(file.beginWrite()).commit() }
    }
    #expect(throws: StorageError.self) { try DatabaseFile.compact(path: path) }
    #expect(try DatabaseFile.compact(path: path, key: key))
    let file = try open(path, key)
    try expectEqual(dump(file), expected)
    let counts = try file.byteCounts()
    expectTrue(counts.total - counts.used <= 5 * 4096)
  }
}
