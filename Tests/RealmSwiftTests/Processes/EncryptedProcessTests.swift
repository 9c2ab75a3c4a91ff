// SPDX-License-Identifier: Apache-2.0

// Two processes with one encrypted file: each decrypts what the other wrote.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmStorage
@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct EncryptedProcessTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("shared.realm")
  }

  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), encryptionKey: Data(repeating: 9, count: 64),
      objectTypes: [SharedCounter.self])
  }

  /// Runs `body` with a realm of its own, where it may block.
  private func withRealm<Result: Sendable>(
    _ body: @escaping @Sendable (Realm) throws -> Result
  ) async throws -> Result {
    let configuration = configuration
    let queue = DispatchQueue(label: "encrypted")
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Swift.Result { try body(try Realm(configuration: configuration)) })
      }
    }
  }

  private func startOther() async throws -> OtherProcess {
    let other = try OtherProcess()
    try await expectEqual(other.ask("open-encrypted 9 \(path)"), "ok")
    return other
  }

  private static func increment(_ realm: Realm) throws {
    try realm.write {
      let counter = realm.object(ofType: SharedCounter.self, forPrimaryKey: 1)
      counter?.value += 1
      counter?.twin += 1
    }
  }

  private static func value(_ realm: Realm) -> Int? {
    realm.object(ofType: SharedCounter.self, forPrimaryKey: 1)?.value
  }

  private static func expectWhole(_ realm: Realm) throws {
    let findings = try realm.core.file.check()
    expectEqual(findings.filter { $0.severity == .error }, [])
    for counter in realm.objects(SharedCounter.self) { expectEqual(counter.value, counter.twin) }
  }

  @Test func noUpdateIsLost() async throws {
    let other = try await startOther()
    try await other.ask("add 1 0")
    async let theirs = other.ask("increment 1 60")
    try await withRealm { realm in
      for _ in 0..<60 { try Self.increment(realm) }
    }
    try await expectEqual(theirs, "ok")
    try await expectEqual(other.ask("value 1"), "120")
    try await withRealm { realm in
      expectEqual(Self.value(realm), 120)
      try Self.expectWhole(realm)
    }
  }

  @Test func eachSeesWhatTheOtherWroteAndKeepsWhatItPinned() async throws {
    let other = try await startOther()
    try await other.ask("add 1 0")
    let queue = DispatchQueue(label: "reader")
    let configuration = configuration
    let frozen = try queue.sync { try Realm(configuration: configuration, queue: queue).freeze() }
    for step in 1...12 {
      try await other.ask("text 1 \(step * 1511 % 9000)")
      try await withRealm { realm in
        let counter = realm.objects(SharedCounter.self).first
        expectEqual(counter?.text, String(repeating: "c", count: step * 1511 % 9000))
        try Self.increment(realm)
      }
      try await expectEqual(other.ask("value 1"), "\(step)")
      expectEqual(Self.value(frozen), 0)
      expectEqual(frozen.objects(SharedCounter.self).first?.text, "")
    }
    try await withRealm { try Self.expectWhole($0) }
  }

  @Test func theOtherNeedsTheSameKey() async throws {
    let other = try await startOther()
    let stranger = try OtherProcess()
    #expect(try await stranger.ask("open-encrypted 8 \(path)").contains("encryption key"))
    #expect(try await stranger.ask("open \(path)").contains("encryption key"))
    try await other.ask("add 1 3")
    try await expectEqual(other.ask("value 1"), "3")
  }

  /// Wherever in its commits the other process dies, the file is whole and takes the next commit.
  @Test func commitsThatAreCutOffLeaveTheFileWhole() async throws {
    var last = 0
    for round in 0..<8 {
      let other = try await startOther()
      if round == 0 { try await other.ask("add 1 0") }
      let queue = DispatchQueue(label: "companion")
      let configuration = configuration
      // While this one has the file open, the session goes on.
      let companion =
        round % 2 == 0
        ? nil : try queue.sync { try Realm(configuration: configuration, queue: queue) }
      try await expectEqual(other.ask("churn 1"), "ok")
      try await Task.sleep(for: .microseconds(5000 + round * 1300))
      try await other.killNow()
      last = try await withRealm { [last] realm in
        let before = try #require(Self.value(realm))
        expectTrue(before >= last)
        try Self.expectWhole(realm)
        realm.beginWrite()
        let found = try #require(Self.value(realm))
        expectTrue(found == before || found == before + 1)
        realm.cancelWrite()
        try Self.increment(realm)
        expectEqual(Self.value(realm), found + 1)
        try Self.expectWhole(realm)
        return found + 1
      }
      withExtendedLifetime(companion) {}
    }
    expectTrue(last > 8)
  }
}
