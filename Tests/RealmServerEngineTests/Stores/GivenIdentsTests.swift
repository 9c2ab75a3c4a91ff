// SPDX-License-Identifier: Apache-2.0

// The identifiers of client files: none is given twice.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct GivenIdentsTests {
  private static let name = RealmName(app: "app")
  private static let now = OriginTimestamp(milliseconds: 77)

  /// A realm as a process opens it, with a randomness of its own.
  private static func realm(_ files: SimulatedFiles, seed: UInt64) throws -> EmbeddedRealm {
    try EmbeddedRealm(
      name.fileID, named: name, in: files, salts: SaltSource(SeededGenerator(seed: seed)))
  }

  private static func give(_ count: Int, _ realm: EmbeddedRealm) throws -> [UInt64] {
    try (0..<count).map { _ in try realm.allocateFile(for: "u", now: now).ident.rawValue }
  }

  /// `GivenIdents` 2
  @Test func thoseOfOneOpeningFollowEachOther() throws {
    let files = SimulatedFiles()
    let given = try Self.give(5, Self.realm(files, seed: 1))
    expectEqual(given, (0..<5).map { given[0] + $0 })
    let later = try Self.give(2, Self.realm(files.restarted(), seed: 2))
    expectEqual(later[1], later[0] + 1)
    expectTrue(Set(given).isDisjoint(with: later))
  }

  /// Without the draw a restored server would give the same ones again.
  @Test func aRestoredServerGivesOthers() throws {
    let files = SimulatedFiles()
    let realm = try Self.realm(files, seed: 1)
    let before = try Self.give(3, realm)
    let backup = try files.restarted()
    let after = try Self.give(20, realm)
    let restored = try Self.give(20, Self.realm(backup, seed: 2))
    // A server that begins with an empty folder, too.
    let emptied = try Self.give(20, Self.realm(SimulatedFiles(), seed: 3))
    expectEqual(Set(before + after + restored + emptied).count, 63)
  }

  /// Gives identifiers in a file in which all but a few were given before.
  ///
  /// - Parameter free: In order, without two that follow each other.
  private static func rest(
    _ free: [UInt64], lastInOrder: UInt64, seed: UInt64
  ) throws -> [UInt64?] {
    let files = SimulatedFiles()
    _ = try realm(files, seed: 0)
    let group = try WriteGroup(files.system(name.fileID).openDatabase().beginWrite())
    defer { group.rollback() }
    try ServerTables.meta(in: group).set(lastInOrder, "last_file")
    try ServerTables.idents.makeIfMissing(in: group)
    let table = try ServerTables.idents.table(in: group)
    for (low, high) in zip([lastInOrder] + free, free + [ServerTables.identLimit])
    where low + 1 < high {
      try table.create(under: ServerTables.key(low + 1)).set(high - 1, "last")
    }
    let random = SaltSource(SeededGenerator(seed: seed))
    var first: UInt64?
    return try (0..<free.count + 2).map { _ in
      try GivenIdents(in: group).next(after: &first, random)
    }
  }

  /// `GivenIdents` 1: also where an older server gave them in order, and those of forgotten files.
  @Test func noneIsGivenTwiceUntilAllAre() throws {
    let limit = ServerTables.identLimit
    for (index, free) in [[9, 11, 500], [limit - 1], [8], [], [20, limit - 1]].enumerated() {
      for seed in 0..<4 as Range<UInt64> {
        let given = try Self.rest(free, lastInOrder: 7, seed: seed)
        expectEqual(given.compactMap(\.self).sorted(), free, "\(index)")
        expectEqual(given.suffix(2), [nil, nil])
      }
    }
    // In order, from a drawn one on, and never one that is there.
    let files = SimulatedFiles()
    let realm = try Self.realm(files, seed: 4)
    let first = try #require(try Self.give(1, realm).first)
    let group = try WriteGroup(files.system(Self.name.fileID).openDatabase().beginWrite())
    try ServerTables.idents.table(in: group).create(under: ServerTables.key(first + 2))
      .set(first + 9, "last")
    _ = try group.commit()
    let reopened = try Self.realm(files.restarted(), seed: 4)
    let next = try Self.give(40, reopened)
    expectTrue(Set(next).isDisjoint(with: first...first))
    expectEqual(Set(next).count, 40)
    expectTrue(Set(next).isDisjoint(with: first + 2...first + 9))
  }

  @Test func rangesOutOfOrderAreDamage() throws {
    let files = SimulatedFiles()
    _ = try Self.give(1, Self.realm(files, seed: 1))
    let group = try WriteGroup(files.system(Self.name.fileID).openDatabase().beginWrite())
    let table = try ServerTables.idents.table(in: group)
    try table.create(under: ServerTables.key(UInt64(3))).set(ServerTables.identLimit, "last")
    _ = try group.commit()
    let damaged = try Self.realm(files.restarted(), seed: 2)
    #expect(throws: StoreError.self) { try Self.give(1, damaged) }
  }
}
