// SPDX-License-Identifier: Apache-2.0

// Realms with an open write transaction that the program kept no reference to.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

struct OpenTransactionTests {
  private static func leaveOpen(_ file: TemporaryRealm) throws {
    let realm = try file.open()
    realm.beginWrite()
    realm.create(Person.self, value: ["id": 1, "name": "Ann"])
  }

  @MainActor @Test func theMainThreadFindsItsTransactionAgain() throws {
    let file = try TemporaryRealm()
    try Self.leaveOpen(file)
    #expect(try file.open().isInWriteTransaction)
    try file.open().commitWrite()
    #expect(!_RealmTesting.hasCachedRealm(atPath: try file.path()))
    try Self.leaveOpenForUpdate(file)
    try file.open().cancelWrite()
    #expect(!_RealmTesting.hasCachedRealm(atPath: try file.path()))
    try expectEqual(file.open().objects(Person.self).map(\.name), ["Ann"])
  }

  private static func leaveOpenForUpdate(_ file: TemporaryRealm) throws {
    let realm = try file.open()
    realm.beginWrite()
    realm.objects(Person.self).first?.name = "Eve"
  }

  @Test func aThreadFindsItsTransactionAgain() throws {
    let file = try TemporaryRealm()
    let names = try onAnotherThread {
      try Self.leaveOpen(file)
      let isOpen = try file.open().isInWriteTransaction
      try file.open().commitWrite()
      let isClosed = !_RealmTesting.hasCachedRealm(atPath: try file.path())
      return isOpen && isClosed ? try file.open().objects(Person.self).map(\.name) : []
    }
    expectEqual(names, ["Ann"])
  }

  /// `ThreadKeeper` 1.
  @Test func aTransactionEndsWithItsThread() throws {
    let file = try TemporaryRealm()
    try onAnotherThread { try Self.leaveOpen(file) }
    let realm = try file.open()
    // Waits for the thread's end, and for nothing more.
    try realm.write {}
    expectTrue(realm.objects(Person.self).isEmpty)
  }
}

extension TemporaryRealm {
  /// Where the file is.
  func path() throws -> String { try #require(configuration.fileURL).path }
}
