// SPDX-License-Identifier: Apache-2.0

// Nodes under seals: what is sealed comes back, whatever is done meanwhile.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SealTests {
  /// Nodes with what they must hold.
  private typealias Nodes = [(ref: Ref, values: [Int64])]

  /// `NodeAllocator` 3
  @Test(arguments: RandomRuns.seeds(30))
  func sealedNodesComeBack(seed: UInt64) throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    var random = SeededGenerator(seed: seed)
    var nodes: Nodes = []
    var sealed: [Nodes] = []
    for _ in 0..<200 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where sealed.count < 5:
        sealed.append(nodes)
        allocator.seal()
      case 1 where !sealed.isEmpty:
        sealed.removeLast()
        allocator.unseal()
      case 2 where !sealed.isEmpty:
        nodes = sealed.removeLast()
        allocator.revert()
      case 3..<8:
        let count = Int.random(in: 0...6, using: &random)
        let values = (0..<count).map { _ in Int64.random(in: -300...300, using: &random) }
        nodes.append((try IntegerNode.make(values, flags: [], in: allocator).ref, values))
      case 8..<12:
        guard let index = nodes.indices.randomElement(using: &random) else { continue }
        try allocator.free(nodes.remove(at: index).ref)
      default:
        guard let index = nodes.indices.randomElement(using: &random) else { continue }
        let value = Int64.random(in: -70_000...70_000, using: &random)
        nodes[index].ref = try IntegerNode.append(value, to: nodes[index].ref, allocator)
        nodes[index].values.append(value)
      }
      expectEqual(allocator.sealCount, sealed.count)
      for known in sealed + [nodes] {
        for node in known { try require(node, in: allocator, seed) }
      }
    }
    expectTrue(Set(nodes.map(\.ref)).count == nodes.count)
  }

  private func require(
    _ node: (ref: Ref, values: [Int64]), in allocator: NodeAllocator, _ seed: UInt64
  ) throws {
    let found = try allocator.node(at: node.ref)
    let values = try (0..<found.count).map { try found.integer(at: $0) }
    try #require(values == node.values, "seed \(seed)")
  }

  /// Blocks of the file are given up once, and not at all by what is undone.
  @Test func givenUpBlocksComeBack() throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.file("seal.realm"))
    let first = try file.beginWrite()
    first.roots = VersionRoots(
      tableNames: try IntegerNode.make([], flags: [], in: first.allocator).ref,
      tables: try IntegerNode.make([1, 3, 5], flags: .hasRefs, in: first.allocator).ref)
    _ = try first.commit(changeset: [])
    let write = try file.beginWrite()
    let tables = write.roots.tables
    write.beginSavepoint()
    let copy = try write.allocator.makeWritable(tables).ref
    expectEqual(write.allocator.freedBlocks.map(\.offset), [tables.offset])
    write.beginSavepoint()
    let again = try write.allocator.makeWritable(copy).ref
    expectTrue(again != copy)
    expectEqual(write.allocator.freedBlocks.count, 1)
    write.keepSavepoint()
    write.rollBackSavepoint()
    expectEqual(write.allocator.freedBlocks, [])
    expectEqual(write.roots.tables, tables)
    expectFalse(write.allocator.isWritable(copy))
    write.rollback()
  }
}
