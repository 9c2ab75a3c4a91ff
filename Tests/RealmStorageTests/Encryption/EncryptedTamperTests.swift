// SPDX-License-Identifier: Apache-2.0

// What an attacker without the key can do to an encrypted file, and what of it is noticed (file
// format 2.8.5).

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EncryptedTamperTests {
  private let key: EncryptionKey
  private let old: OlderFile
  /// The pages of which the newest version uses bytes, with the offsets of these in the image.
  private let used: [Int: Set<Int>]

  init() throws {
    key = try TestKeys.vector()
    old = try OlderFile(1500, commitCount: 15, key: key)
    let file = try SimulatedFileSystem(contents: old.contents).openDatabase(key: key)
    var used: [Int: Set<Int>] = [:]
    for range in try Self.nodes(of: file.snapshot()) {
      for byte in range { used[byte / 4096, default: []].insert(byte) }
    }
    self.used = used
  }

  /// The ranges of the nodes that a version reaches.
  private static func nodes(of snapshot: Snapshot) throws -> [Range<Int>] {
    var (pending, found): ([Ref], [Range<Int>]) = ([snapshot.topRef], [])
    while let ref = pending.popLast() {
      let node = try snapshot.space.node(at: ref)
      found.append(ref.offset..<ref.offset + node.header.nodeByteCount)
      guard node.header.hasRefs else { continue }
      for index in 0..<node.count {
        if let child = Ref(slot: try node.integer(at: index)) { pending.append(child) }
      }
    }
    return found
  }

  /// What a check says of a file; nil if it is not opened.
  private func findings(of contents: [UInt8]) -> [CheckFinding]? {
    let file = try? SimulatedFileSystem(contents: contents).openDatabase(key: key)
    return try? file?.check()
  }

  /// What is read with checksums; nil if opening or reading throws.
  private func numbers(in contents: [UInt8]) -> [Int64]? {
    let file = try? SimulatedFileSystem(contents: contents).openDatabase(key: key)
    file?.verifyChecksums()
    guard let snapshot = try? file?.snapshot() else { return nil }
    return try? NumberTree.numbers(of: snapshot)
  }

  private func entry(_ page: Int) -> Int {
    EncryptedLayout.position(ofBlock: page / EncryptedLayout.pagesPerBlock)
      + page % EncryptedLayout.pagesPerBlock * PageEntry.byteCount
  }

  private var pageCount: Int { EncryptedLayout.imageByteCount(file: old.contents.count) / 4096 }

  /// A counter is not authenticated: another one changes the first four bytes of the page.
  @Test func changedCountersAreFound() throws {
    var foundCount = 0
    // The header is on the first page, and no node.
    for page in 1..<pageCount {
      for bit in [0, 9, 18, 31] {
        var contents = old.contents
        contents[entry(page) + bit / 8] ^= 1 << UInt8(bit % 8)
        if let numbers = numbers(in: contents) {
          expectTrue(numbers == old.numbers, "page \(page), bit \(bit)")
        }
        guard used[page]?.contains(page * 4096 + bit / 8) == true else { continue }
        let isFound = findings(of: contents)?.contains { $0.severity == .error } ?? true
        expectTrue(isFound, "page \(page), bit \(bit)")
        foundCount += 1
      }
    }
    expectTrue(foundCount > 4, "\(foundCount)")
  }

  /// A code does not cover the place: pages that change places with their entries are authentic.
  /// What stands in the place of a node then is an error, or at least no node with a checksum.
  @Test func exchangedPagesAreFound() throws {
    expectEqual(findings(of: old.contents), [])
    var pairCount = 0
    for first in 1..<pageCount {
      for second in first + 1..<pageCount where used[first] != nil || used[second] != nil {
        var contents = old.contents
        let pages = [first, second].map { EncryptedLayout.position(ofPage: $0) }
        for index in 0..<4096 { contents.swapAt(pages[0] + index, pages[1] + index) }
        for index in 0..<64 { contents.swapAt(entry(first) + index, entry(second) + index) }
        if let findings = findings(of: contents) {
          expectFalse(findings.isEmpty, "pages \(first) and \(second)")
        }
        pairCount += 1
      }
    }
    expectTrue(pairCount > 10, "\(pairCount)")
  }

  /// The states of a file after each of some commits.
  private func states() throws -> [(contents: [UInt8], numbers: [Int64])] {
    let system = try SimulatedFileSystem()
    var states: [(contents: [UInt8], numbers: [Int64])] = []
    let file = try system.openDatabase(key: key)
    for round in 0..<12 as Range<Int64> {
      let numbers = (0..<700).map { $0 / 100 == round % 7 ? (1 << 40) + round : 1 << 41 }
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [1])
      states.append((try system.file.contents(), numbers))
    }
    return states
  }

  /// What is not promised: an earlier page is as authentic as the present one, and its nodes match
  /// their checksums.
  @Test func anOldPageMayPass() throws {
    let states = try states()
    let last = try #require(states.last)
    var (passed, found) = (0, 0)
    for state in states.dropLast() {
      let count = EncryptedLayout.imageByteCount(
        file: min(state.contents.count, last.contents.count))
      for page in 1..<count / 4096 {
        let place = EncryptedLayout.position(ofPage: page)
        var contents = last.contents
        contents.replaceSubrange(place..<place + 4096, with: state.contents[place..<place + 4096])
        contents.replaceSubrange(
          entry(page)..<entry(page) + 64, with: state.contents[entry(page)..<entry(page) + 64])
        guard contents != last.contents else { continue }
        let file = try? SimulatedFileSystem(contents: contents).openDatabase(key: key)
        file?.verifyChecksums()
        guard let file, let numbers = try? NumberTree.numbers(of: file.snapshot()) else {
          found += 1
          continue
        }
        if numbers != last.numbers { passed += 1 }
      }
    }
    expectTrue(found > 0, "\(found)")
    expectTrue(passed > 0, "\(passed)")
  }

  /// Neither is this: a file as it was is a file.
  @Test func anOldFileIsWhole() throws {
    for state in try states() {
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase(key: key)
      try expectEqual(NumberTree.numbers(of: file.snapshot()), state.numbers)
      try expectEqual(file.check().filter { $0.severity == .error }, [])
    }
  }

  /// A page without an entry was never written: a version that uses it is refused.
  @Test func removedEntriesAreFound() throws {
    for page in used.keys.sorted() where page > 0 {
      var contents = old.contents
      contents.replaceSubrange(
        entry(page)..<entry(page) + 64, with: [UInt8](repeating: 0, count: 64))
      let error = #expect(throws: StorageError.self, "page \(page)") {
        try SimulatedFileSystem(contents: contents).openDatabase(key: key)
      }
      let text = error.map { "\($0)" } ?? ""
      expectTrue(text.contains("page \(page) of the encrypted file"), "\(text)")
    }
    expectTrue(used.count > 2)
  }
}
