// SPDX-License-Identifier: Apache-2.0

// Damaged histories of synchronised files: errors, never a trap, and findings of the check
// (SY16).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncHistoryDamageTests {
  /// The bytes of a file with some entries of all kinds, and where its history's root is.
  private let contents: [UInt8]
  private let root: Int
  private let system: SimulatedFileSystem

  init() throws {
    system = try SimulatedFileSystem()
    let file = try system.openDatabase(history: .syncClient)
    for number in 1...6 {
      let write = try file.beginWrite()
      write.syncEntry = SyncEntry(
        changeset: [UInt8](repeating: 1, count: number * 15),
        reciprocal: number % 2 == 0 ? [3, 4] : nil, remoteVersion: UInt64(number),
        originFile: number % 3, originTimestamp: 1 << 30)
      try write.updateSyncProgress { $0.download.serverVersion = UInt64(number) }
      if number == 5 { try write.trimSyncHistory(through: 2) }
      _ = try write.commit(changeset: [1])
    }
    contents = try system.file.contents()
    root = try file.snapshot().top().history.offset
  }

  /// Reads, checks, changes and commits; errors are fine.
  ///
  /// - Returns: Whether the damage was noticed.
  @discardableResult
  private func exercise(_ contents: [UInt8]) throws -> Bool {
    do throws(StorageError) {
      let file = try open(contents)
      let snapshot = try file.snapshot()
      let findings = try file.check()
      if let history = try? snapshot.syncHistory() {
        for version in history.base &+ 1...history.base &+ 9 {
          _ = try? history.entry(at: version)
        }
        _ = try? history.trimmableVersion()
        _ = try? history.hasPendingUploads()
      }
      for part in 0..<4 {
        let write = try file.beginWrite()
        switch part {
        case 0: try? write.setSyncReciprocal([1, 2, 3], at: 5)
        case 1: try? write.replaceSyncEntry(at: 6, with: SyncEntry(changeset: [1], originFile: 2))
        case 2: try? write.trimSyncHistory(through: 4)
        default:
          write.syncEntry = SyncEntry(changeset: [8])
          _ = try write.commit(changeset: [1])
          continue
        }
        write.rollback()
      }
      _ = try file.check()
      return !findings.isEmpty
    } catch {
      expectFalse("\(error)".isEmpty)
      return true
    }
  }

  private func open(_ contents: [UInt8]) throws(StorageError) -> DatabaseFile {
    try SimulatedFileSystem(contents: contents).openDatabase(history: .syncClient)
  }

  @Test func theWholeFileIsAccepted() throws {
    #expect(try !exercise(contents))
  }

  /// `ARCHITECTURE` 4.
  @Test(.heavy) func flippedBitsNeverTrap() throws {
    var random = SeededGenerator(seed: 8)
    var noticedCount = 0
    for index in 24..<min(contents.count, 4096) where contents[index] != 0 {
      var damaged = contents
      damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      if try exercise(damaged) { noticedCount += 1 }
    }
    expectTrue(noticedCount > 20)
  }

  /// `ARCHITECTURE` 4.
  @Test func randomWordsInTheHistoryNeverTrap() throws {
    var random = SeededGenerator(seed: 9)
    let nasty: [UInt64] = [
      0, 1, 8, .max, .max - 7, 1 << 63, (1 << 63) - 8, 0x4141_4141_4700_FFFF, 0xFFFF_FF47_4141_4141,
      0xFF00_FF00_4541_4141, 0x0300_0006_4141_4141,
    ]
    // The nodes of the last commit are neighbours of the root.
    let words = max(3, root / 8 - 60)..<min(contents.count / 8, root / 8 + 40)
    for _ in 0..<1200 {
      var damaged = contents
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let offset = Int.random(in: words, using: &random) * 8
        let word = nasty.randomElement(using: &random) ?? 0
        withUnsafeBytes(of: word.littleEndian) {
          damaged.replaceSubrange(offset..<offset + 8, with: $0)
        }
      }
      try exercise(damaged)
    }
  }

  // MARK: Each slot

  private static let width = 2

  private func with(_ slot: Int, _ value: Int) -> [UInt8] {
    var damaged = contents
    damaged[root + 8 + slot * Self.width] = UInt8(value & 255)
    damaged[root + 8 + slot * Self.width + 1] = UInt8(value >> 8)
    damaged.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      NodeChecksum.store(in: start + root, at: root)
    }
    return damaged
  }

  private func slot(_ index: Int) -> Int {
    let offset = root + 8 + index * Self.width
    return Int(contents[offset]) | Int(contents[offset + 1]) << 8
  }

  /// `SyncHistory` 3.
  @Test(arguments: 2...12) func aRefWhereANumberShouldBeIsNoticed(_ slot: Int) throws {
    expectEqual(contents[root + 4], 0x45)
    let damaged = with(slot, self.slot(13))
    #expect(try open(damaged).check().contains { $0.check == 5 && $0.severity == .error })
    #expect(throws: StorageError.self) { try open(damaged).snapshot().syncHistory() }
    #expect(throws: StorageError.self) { try open(damaged).beginWrite().commit(changeset: []) }
  }

  /// `SyncHistory` 2.
  @Test(arguments: 13...17) func partsOfOtherLengthsAreNoticed(_ slot: Int) throws {
    for value in [0, 1, 0x7FF0] {
      let damaged = with(slot, value)
      #expect(try open(damaged).check().contains { $0.check == 5 && $0.severity == .error })
      #expect(throws: StorageError.self) { try open(damaged).snapshot().syncHistory() }
    }
  }

  /// `SyncHistory` 3.
  @Test func emptySlotsAreZeros() throws {
    let damaged = with(12, 0)
    try expectEqual(open(damaged).snapshot().syncHistory()?.progress.uploadableByteCount, 0)
  }

  /// `SyncHistory` 5.
  @Test func whatNobodyReadsIsKept() throws {
    var damaged = contents
    for (slot, value) in [(1, 33 << 1 | 1), (18, 7 << 1 | 1), (19, 9 << 1 | 1), (20, 1)] {
      let offset = root + 8 + slot * Self.width
      damaged[offset] = UInt8(value)
      damaged[offset + 1] = 0
    }
    let system = try SimulatedFileSystem(contents: damaged)
    _ = try system.openDatabase(history: .syncClient).beginWrite().commit(changeset: [])
    let hand = try HandDecodedHistory(try system.file.contents())
    expectEqual([1, 18, 19, 20].map(hand.number), [33, 7, 9, 0])
  }

  /// `SyncSchemaLog` 1.
  @Test func aLogOfAnUnknownFormStays() throws {
    let space = try ScratchSpace()
    let allocator = space.allocator
    let numbers = try IntegerNode.make([1, 2], in: allocator).ref.slot
    let three = try IntegerNode.make([numbers, numbers, numbers], flags: .hasRefs, in: allocator)
    let plain = try IntegerNode.make([8, 8, 8, 8], in: allocator)
    for slot in [1, three.ref.slot, plain.ref.slot] {
      try expectEqual(SyncSchemaLog.append(12, at: 3, to: slot, allocator), slot)
    }
    let first = try SyncSchemaLog.append(11, at: 3, to: 0, allocator)
    let second = try SyncSchemaLog.append(12, at: 7, to: first, allocator)
    let log = try space.space.node(at: Ref(Int(second)))
    expectEqual(log.count, 4)
    let versions = try space.space.node(at: try log.ref(at: 1))
    try expectEqual([versions.integer(at: 0), versions.integer(at: 1)], [3, 7])
    let libraries = try log.ref(at: 3)
    try expectEqual(StringLeaf.count(libraries, in: space.space), 2)
  }

  @Test func aCursorBeyondTheNewestVersionIsNoticed() throws {
    for slot in [6, 7] {
      try expectEqual(open(with(slot, 7 << 1 | 1)).check(), [])
      try expectEqual(open(with(slot, 8 << 1 | 1)).check().map(\.check), [5])
    }
  }

  @Test func serverVersionsThatGoBackAreReported() throws {
    let file = try open(contents)
    let write = try file.beginWrite()
    try write.replaceSyncEntry(at: 5, with: SyncEntry(remoteVersion: 1 << 20))
    _ = try write.commit(changeset: [])
    let findings = try file.check()
    expectEqual(findings.map(\.severity), [.warning])
    expectEqual(findings.map(\.check), [5])
  }

  /// A node of zeros has up to 16 million elements in 8 bytes.
  @Test func aWalkOverEntriesThatHaveNoRoomEnds() throws {
    let space = try ScratchSpace()
    let zeros = NodeHeader(flags: [], layout: .bits, widthCode: 0, count: 0xFF_FFFF)
    let numbers = try space.allocator.allocate(zeros, capacity: 0).ref
    let blob = try BlobNode.make(.empty, in: space.allocator).ref
    let bytes = try IntegerNode.make(
      [numbers.slot, blob.slot, numbers.slot], flags: .hasRefs, in: space.allocator
    ).ref
    var history = SyncHistory(version: 1 << 40, in: space.space, of: system)
    history.changesets = bytes
    history.reciprocals = bytes
    history.remoteVersions = numbers
    history.originFiles = numbers
    history.originTimestamps = numbers
    let root = try history.write(replacing: .null, space.allocator)
    #expect(throws: StorageError.self) {
      try SyncHistory(
        at: root, schemaVersion: 12, version: 1 << 40, in: space.space, of: system)
    }
  }

  @Test func moreEntriesThanVersionsAreNoticed() throws {
    let hand = try HandDecodedHistory(contents)
    expectEqual(hand.changesets.count, 5)
    var damaged = contents
    let top = Int(damaged[23] & 1) * 8
    let topRef = Int(damaged[top]) | Int(damaged[top + 1]) << 8
    let width = [0, 1, 2, 4, 8, 16, 32, 64][Int(damaged[topRef + 4] & 7)] / 8
    damaged[topRef + 8 + 6 * width] = 4 << 1 | 1
    #expect(throws: StorageError.self) { try open(damaged).snapshot().syncHistory() }
  }
}
