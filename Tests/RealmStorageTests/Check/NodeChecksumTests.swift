// SPDX-License-Identifier: Apache-2.0

// The checksums of nodes: all that are written have one, and no flipped bit is missed.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct NodeChecksumTests {
  /// A node of bytes with its checksum, in memory that has a word to spare.
  private struct SealedNode {
    static let position = 4096
    var bytes: [UInt8]

    init(payload count: Int, _ random: inout SeededGenerator) {
      let header = NodeHeader(flags: [], layout: .bytes, widthCode: 1, count: count)
      bytes = [UInt8](repeating: 0, count: header.nodeByteCount + 8)
      for index in 0..<count { bytes[8 + index] = UInt8.random(in: 0...255, using: &random) }
      bytes.withUnsafeMutableBytes { bytes in
        bytes.storeBytes(of: header.bits, as: UInt64.self)
        guard let start = bytes.baseAddress else { return }
        NodeChecksum.store(in: start, at: Self.position)
      }
    }

    func state(at position: Int = Self.position) -> NodeChecksum.State? {
      bytes.withUnsafeBytes { bytes in
        let header = NodeHeader(bits: bytes.loadUnaligned(as: UInt64.self))
        guard header.nodeByteCount <= bytes.count, let start = bytes.baseAddress else { return nil }
        return NodeChecksum.state(of: start, header, at: position)
      }
    }
  }

  /// Writes numbers, replaced a few times, and some nodes larger than a staging buffer.
  private func fill(_ file: DatabaseFile, _ durability: CommitDurability = .twoSyncs) throws {
    for round in 0..<3 as Range<Int64> {
      let write = try file.beginWrite()
      write.durability = durability
      try NumberTree.replace(with: (0..<3000).map { $0 &* (round + 1) << 30 }, in: write)
      _ = try write.commit(changeset: [UInt8](repeating: 7, count: round == 2 ? 1 << 21 : 9))
    }
  }

  private func expectAllVerified(_ file: DatabaseFile) throws {
    let (findings, checksums) = try file.checkNodes(try file.snapshot())
    expectEqual(findings, [])
    expectEqual(checksums.missing, 0)
    expectTrue(checksums.verified > 30, "\(checksums)")
  }

  /// What is never on a disk has no checksums, nor has what is written without them.
  @Test func someFilesHaveNoChecksums() throws {
    for (isInMemory, writes) in [(true, true), (true, false), (false, true), (false, false)] {
      let system = try SimulatedFileSystem()
      var options = OpenOptions(isInMemory: isInMemory)
      options.writesChecksums = writes
      let file = try DatabaseFile.open(
        path: isInMemory ? "checksums" : system.file.path, options: options, system: system,
        registry: FileRegistry())
      try fill(file)
      let (findings, checksums) = try file.checkNodes(try file.snapshot())
      expectEqual(findings, [])
      expectEqual(checksums.verified > 0, writes && !isInMemory, "\(checksums)")
      expectEqual(checksums.missing > 0, !writes || isInMemory, "\(checksums)")
    }
  }

  // MARK: The checksum

  /// `NodeChecksum` 1 and 2: each bit of each node counts.
  @Test func everyBitCounts() {
    var random = SeededGenerator(seed: 51)
    for count in [0, 1, 7, 8, 9, 24, 40, 63, 100, 140] {
      let node = SealedNode(payload: count, &random)
      expectEqual(node.state(), .matching)
      expectEqual(node.state(at: SealedNode.position + 8), .different)
      for bit in 0..<(node.bytes.count - 8) * 8 {
        var flipped = node
        flipped.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        // A node that became longer than the memory cannot be read at all.
        expectTrue(flipped.state() ?? .different == .different, "bit \(bit) of \(count) bytes")
      }
    }
  }

  /// `NodeChecksum` 2: whatever the digest, one flipped bit does not give `41 41 41`.
  @Test func noChecksumIsNextToThePlaceholder() {
    let placeholder: UInt32 = 0x41_4141
    for bit in 0...24 as ClosedRange<UInt32> {
      let digest = UInt64(placeholder ^ (bit == 24 ? 0 : 1 << bit))
      expectTrue((NodeChecksum.folded(digest) ^ placeholder).nonzeroBitCount > 1, "bit \(bit)")
    }
    expectEqual(NodeChecksum.folded(0x12_3456), 0x12_3456)
    expectEqual(NodeChecksum.folded(0x12_3456 << 24), 0x12_3456)
  }

  @Test func nodesOfOthersHaveNone() {
    var random = SeededGenerator(seed: 52)
    // What Realm Core writes, what it wrote before format 10, and capacities of its first formats.
    for start: [UInt8] in [
      [0x41, 0x41, 0x41, 0x41], [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0x80, 0], [0, 0, 0x20, 0],
      [0, 1, 0, 0],
    ] {
      var node = SealedNode(payload: 20, &random)
      node.bytes.replaceSubrange(0..<4, with: start)
      expectEqual(node.state(), .missing)
    }
  }

  /// `NodeChecksum` 3: neither byte 3 nor the bytes before it make a node one of others.
  @Test func anOverwrittenHeaderIsDamage() {
    var random = SeededGenerator(seed: 57)
    for kind in UInt8.min...UInt8.max where kind != 0x41 {
      var node = SealedNode(payload: 40, &random)
      node.bytes[3] = kind
      expectEqual(node.state(), .different, "byte 3 is \(kind)")
      // The checksum alone does not tell any more.
      node.bytes[20] ^= 1
      let isOld = kind == 0 && node.bytes[2] & 7 == 0
      expectEqual(node.state(), isOld ? .missing : .different, "byte 3 is \(kind)")
      // Capacities that no version wrote.
      for start: [UInt8] in [[0, 0, 0x28, 0], [0, 0, 0x84, 0], [1, 1, 1, kind | 2]] {
        node.bytes.replaceSubrange(0..<4, with: start)
        expectEqual(node.state(), .different, "\(start)")
      }
    }
    // Noise over bytes 0 to 3 and the payload: one in 2048 looks like a capacity.
    var missing = 0
    for _ in 0..<4096 {
      var node = SealedNode(payload: 24, &random)
      for index in Array(0..<4) + Array(8..<32) {
        node.bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      if node.state() == .missing { missing += 1 }
    }
    expectTrue(missing < 12, "\(missing)")
  }

  // MARK: Files

  /// A check of a file says so, too.
  @Test func aNodeWithGarbageInByte3IsFound() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    try fill(file)
    let snapshot = try file.snapshot()
    let leaf = try snapshot.space.node(at: snapshot.roots.tables).ref(at: 7)
    var damaged = try system.file.contents()
    damaged[leaf.offset + 3] = 0xC7
    damaged[leaf.offset + 9] ^= 4
    let found = try SimulatedFileSystem(contents: damaged).openDatabase().check()
    expectEqual(found.map(\.check).sorted(), [8, 38])
  }

  /// `NodeWriter` 4, `StreamedCopy` 3, `NodeChecksum` 4.
  @Test(arguments: [CommitDurability.twoSyncs, .oneSync, .deferred])
  func everyNodeThatIsWrittenHasOne(_ durability: CommitDurability) throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    try fill(file, durability)
    try expectAllVerified(file)
    let copy = try SimulatedFileSystem()
    try file.snapshot().write(to: copy.file)
    try expectAllVerified(copy.openDatabase())
  }

  @Test func encryptedFilesHaveThem() throws {
    let key = try TestKeys.vector()
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: key)
    try fill(file)
    try expectAllVerified(file)
    let copy = try SimulatedFileSystem()
    try file.snapshot().write(to: copy.file, key: key)
    try expectAllVerified(copy.openDatabase(key: key))
  }

  /// Nodes of others stay without checksums until they are written again: by a copy, all.
  @Test func filesOfOthersAreCountedAndGetThemByACopy() throws {
    let system = try SimulatedFileSystem(contents: WorkedExamples.secondCommit)
    let file = try system.openDatabase()
    let before = try file.checkNodes(try file.snapshot())
    expectEqual(before.findings, [])
    expectEqual(before.checksums.verified, 0)
    expectTrue(before.checksums.missing > 30)
    let write = try file.beginWrite()
    let snapshot = try write.commit(changeset: [])
    let after = try file.checkNodes(snapshot)
    expectEqual(after.findings, [])
    expectTrue(after.checksums.verified > 4 && after.checksums.missing > 20, "\(after.checksums)")
    let copy = try SimulatedFileSystem()
    try snapshot.write(to: copy.file)
    let copied = try copy.openDatabase()
    let all = try copied.checkNodes(try copied.snapshot())
    expectEqual(all.findings, [])
    expectEqual(all.checksums.missing, 0)
    expectTrue(all.checksums.verified > 20)
  }

  /// `StreamedCopy` 3: a copy does not hide what is damaged.
  @Test func damageIsCopied() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    try fill(file)
    let snapshot = try file.snapshot()
    let root = try snapshot.space.node(at: snapshot.roots.tables)
    let leaf = try root.ref(at: 7)
    for (place, count) in [(leaf.offset + 9, 1), (snapshot.roots.tables.offset + 2, 1)] {
      var damaged = try system.file.contents()
      damaged[place] ^= 4
      let source = try SimulatedFileSystem(contents: damaged).openDatabase()
      let copy = try SimulatedFileSystem()
      try source.snapshot().write(to: copy.file)
      let found = try copy.openDatabase().check()
      expectEqual(found.map(\.check), Array(repeating: 38, count: count))
    }
  }

  /// The ranges of the nodes that the newest version of a file reaches.
  private func nodes(of snapshot: Snapshot) throws -> [Range<Int>] {
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

  /// Of bits of nodes that a version reaches, whichever flips, the check says so.
  @Test(.heavy, arguments: [false, true])
  func flippedBitsAreFound(_ isStream: Bool) throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    for round in 0..<4 as Range<Int64> {
      let write = try file.beginWrite()
      try NumberTree.replace(with: (0..<900).map { $0 % 250 &* round }, in: write)
      _ = try write.commit(changeset: [1, 2, 3])
    }
    let copy = try SimulatedFileSystem()
    try file.snapshot().write(to: copy.file)
    let whole = try (isStream ? copy : system).file.contents()
    let ranges = try nodes(of: SimulatedFileSystem(contents: whole).openDatabase().snapshot())
    let bytes = ranges.flatMap { Array($0) }
    expectTrue(bytes.count > 1500, "\(bytes.count)")
    var random = SeededGenerator(seed: 53)
    var missed: [Int] = []
    let count = 1500
    for _ in 0..<count {
      let byte = try #require(bytes.randomElement(using: &random))
      var damaged = whole
      damaged[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      // A file that does not open any more is found, too.
      let file = try? SimulatedFileSystem(contents: damaged).openDatabase()
      if let findings = try? file?.check(), findings.isEmpty { missed.append(byte) }
    }
    expectTrue(missed.count * 1000 <= count, "missed \(missed)")
    RandomRuns.report(count, "flipped bits, \(missed.count) missed")
  }
}
