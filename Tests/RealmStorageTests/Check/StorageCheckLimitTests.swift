// SPDX-License-Identifier: Apache-2.0

// Small files with damage of which a check says just so much, and nothing else.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct StorageCheckLimitTests {
  private func bytes(_ words: [UInt64]) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// A node of refs, and what its slots hold.
  private func refs(_ slots: [UInt64]) -> [UInt64] {
    [NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: slots.count).bits] + slots
  }

  /// What is found in a copy whose tables are a node of refs at 64, with other nodes behind it.
  ///
  /// - Parameter gap: The bytes between them.
  private func findings(
    _ tables: [UInt64], gap: Int = 0, _ nodes: [UInt64]
  ) throws -> [CheckFinding] {
    let names = NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0).bits
    let first = [names] + refs(tables)
    let end = UInt64(bitPattern: Tagged.slot(56 + 8 * (first.count + nodes.count) + gap))
    var contents = FileHeader.streaming.bytes + bytes(refs([56, 64, end]) + first)
    contents += [UInt8](repeating: 0, count: gap)
    contents += bytes(nodes + [24, FileHeader.footerCookie])
    return try SimulatedFileSystem(contents: contents).openDatabase().check()
  }

  /// A walk ends when it has come through twice as many bytes as the file has, and not before.
  @Test(arguments: [(3, 15, false), (4, 8, true)]) func aWalkMayComeByTwice(
    count: Int, words: Int, isEndless: Bool
  ) throws {
    let leaf = NodeHeader(flags: [], layout: .bits, widthCode: 7, count: words).bits
    let place = UInt64(64 + 8 + 8 * count)
    let found = try findings(
      [UInt64](repeating: place, count: count), [leaf] + [UInt64](repeating: 0, count: words))
    expectEqual(found.contains { $0.description.contains("has a loop") }, isEndless, "\(found)")
    expectEqual(found.count { $0.check == 7 }, count - 1 + (isEndless ? 1 : 0), "\(found)")
  }

  /// The slots of a node are followed only if its layout is that of refs.
  @Test(arguments: 0..<4) func otherLayoutsHaveNoRefs(layout: Int) throws {
    let header = refs([0])[0] | UInt64(layout) << 35
    let found = try findings([80], [header, 0x7000] + [UInt64](repeating: 0, count: 7))
    expectEqual(found.contains { $0.check == 8 }, layout > 0, "\(found)")
    expectEqual(found.contains { $0.check == 6 }, layout == 0, "\(found)")
  }

  /// A node may end with its section, and not behind it.
  @Test(arguments: [(0, false), (8, true)]) func nodesStayInTheirSection(
    more: Int, isFound: Bool
  ) throws {
    let section = FreeSpace.sectionByteCount
    let leaf = NodeHeader(flags: [], layout: .bits, widthCode: 7, count: 1).bits
    let place = section - 16 + more
    let found = try findings([UInt64(place)], gap: place - 80, [leaf, 0])
    expectEqual(found.contains { $0.check == 10 }, isFound, "\(found)")
    expectFalse(found.contains { $0.severity == .error }, "\(found)")
  }

  /// Of a node and a free block at one place, the free block is what is wrong.
  @Test func aFreeBlockInPlaceOfANodeIsNamed() throws {
    var contents = WorkedExamples.firstCommit
    let file = try SimulatedFileSystem(contents: contents).openDatabase()
    let snapshot = try file.snapshot()
    let place = snapshot.roots.tables.offset
    let byteCount = try snapshot.space.node(at: snapshot.roots.tables).header.nodeByteCount
    // The only free block: its position and its length.
    for (offset, value) in [(920, place), (936, byteCount)] {
      contents[offset] = UInt8(value & 0xFF)
      contents[offset + 1] = UInt8(value >> 8)
    }
    let found = try SimulatedFileSystem(contents: contents).openDatabase().check()
    expectEqual(found.map(\.check).filter { $0 != 15 }, [14], "\(found)")
  }

  /// A history has no more changesets than its version says.
  @Test(arguments: [(4, false), (3, false), (2, true)]) func changesetsAreOfVersions(
    version: Int, isFound: Bool
  ) throws {
    let system = try SimulatedFileSystem()
    let top: Node
    let place: Int
    do {
      let file = try system.openDatabase()
      file.keepHistory(ofCommits: 9)
      for number in 1...3 as ClosedRange<UInt8> {
        _ = try file.beginWrite().commit(changeset: [number])
      }
      let snapshot = try file.snapshot()
      try expectEqual(snapshot.top().version, 4)
      top = try snapshot.space.node(at: snapshot.topRef)
      place = snapshot.topRef.offset + NodeHeader.byteCount + 6 * top.header.width / 8
    }
    var contents = try system.file.contents()
    contents[place] = UInt8(2 * version + 1)
    let found = try SimulatedFileSystem(contents: contents).openDatabase().check()
    expectEqual(found.contains { $0.check == 5 }, isFound, "\(found)")
  }

  /// How far a check is, is said for every 1024 nodes.
  @Test(arguments: [(3, 1), (1000, 1), (1100, 2), (2100, 3)]) func progressIsSaidNowAndThen(
    leafCount: Int, count: Int
  ) throws {
    let file = try DatabaseFile.open(
      path: "progress-\(leafCount)", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    try NumberTree.replace(with: [Int64](repeating: 0, count: 100 * leafCount), in: write)
    let snapshot = try write.commit(changeset: [])
    let said = Locked<[Double]>([])
    let watch = WorkWatch(progress: { share in said.withLock { $0.append(share) } })
    try expectEqual(file.checkNodes(snapshot, watch).findings, [])
    let shares = said.withLock { $0 }
    expectEqual(shares.count, count)
    expectEqual(shares, shares.sorted())
    expectEqual(shares.first, 0)
  }
}
