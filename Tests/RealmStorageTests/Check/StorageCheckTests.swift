// SPDX-License-Identifier: Apache-2.0

// The check of containers, nodes and space: silent on a good file, loud on each kind of damage.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

/// One way to damage worked example A, and the check that must notice.
struct StorageDamage: Sendable, CustomTestStringConvertible {
  let check: Int
  let what: String
  var severity = CheckFinding.Severity.error
  /// Bytes to write at an offset.
  let edits: [Int: [UInt8]]

  var testDescription: String { "\(check): \(what)" }

  /// Offsets of the worked example: 16-bit slots of the array of tables at 792, 32-bit slots of the
  /// top array at 960, one 16-bit free position at 920 and length at 936.
  static let all: [StorageDamage] = [
    StorageDamage(check: 5, what: "a history that is none", edits: [992: [0x90, 0x03]]),
    StorageDamage(check: 6, what: "a ref outside the file", edits: [792: [0x00, 0x70]]),
    StorageDamage(check: 6, what: "a misaligned ref", edits: [792: [0xEA, 0x00]]),
    StorageDamage(check: 7, what: "a node with two parents", edits: [794: [0xE8, 0x00]]),
    StorageDamage(check: 8, what: "an inner node without refs", edits: [68: [0x83]]),
    StorageDamage(check: 8, what: "an unknown layout", edits: [68: [0x1B]]),
    StorageDamage(check: 8, what: "refs in a node of strings", edits: [84: [0x4C]]),
    StorageDamage(
      check: 8, what: "another kind of node", severity: .warning, edits: [67: [0x42]]),
    StorageDamage(check: 12, what: "lists of unequal length", edits: [935: [0]]),
    StorageDamage(check: 12, what: "a misaligned free block", edits: [920: [0xF4]]),
    StorageDamage(check: 12, what: "an empty free block", edits: [936: [0, 0]]),
    StorageDamage(
      check: 13, what: "a block freed by a later version", edits: [980: [0x20, 0x03]]),
    StorageDamage(
      check: 14, what: "a node in a free block", edits: [920: [0xE8, 0x03], 936: [0x18, 0x0C]]),
    StorageDamage(
      check: 15, what: "bytes that are lost", severity: .warning, edits: [936: [0x00, 0x0C]]),
  ]
}

@Suite("Integrity check of storage")
struct StorageCheckTests {
  @Test("finds nothing in the worked examples")
  func goodFiles() throws {
    for contents in [WorkedExamples.firstCommit, WorkedExamples.secondCommit] {
      try expectEqual(SimulatedFileSystem(contents: contents).openDatabase().check(), [])
    }
  }

  @Test("notices damage", .heavy, arguments: StorageDamage.all)
  func damage(_ damage: StorageDamage) throws {
    var contents = WorkedExamples.firstCommit
    for (offset, bytes) in damage.edits {
      contents.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    let findings = try SimulatedFileSystem(contents: contents).openDatabase().check()
    #expect(
      findings.contains { $0.check == damage.check && $0.severity == damage.severity },
      "found \(findings)")
  }

  /// Nodes of zeros take no bytes, whatever their count: a check that went through them would not
  /// end.
  @Test("ends soon, whatever a small file claims")
  func nodesThatClaimMuchAreNotWalked() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let write = try file.beginWrite()
    try NumberTree.replace(with: (0..<20_000).map { Int64($0) << 20 }, in: write)
    let snapshot = try write.commit(changeset: [])
    let root = try snapshot.space.node(at: snapshot.roots.tables)
    let leaf = try root.ref(at: 0)
    var contents = try system.file.contents()
    let width = root.header.width / 8
    // All children are one node with refs, of the largest count and without bytes.
    for index in 0..<root.count {
      let slot = snapshot.roots.tables.offset + NodeHeader.byteCount + index * width
      for byte in 0..<width {
        contents[slot + byte] = UInt8(truncatingIfNeeded: leaf.offset >> (8 * byte))
      }
    }
    let claim = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 0, count: 0xFF_FFFF)
    for byte in 0..<8 {
      contents[leaf.offset + byte] = UInt8(truncatingIfNeeded: claim.bits >> UInt64(8 * byte))
    }
    let findings = try SimulatedFileSystem(contents: contents).openDatabase().check()
    expectTrue(findings.contains { $0.check == 7 }, "\(findings)")
  }
}
