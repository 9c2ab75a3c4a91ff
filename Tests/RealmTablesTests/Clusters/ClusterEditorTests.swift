// SPDX-License-Identifier: Apache-2.0

// Cluster trees against a sorted dictionary.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct ClusterEditorTests {
  @Test func sequentialKeysStayCompact() throws {
    let model = try ClusterModel()
    for key in 0..<70_000 { try model.insert(Int64(key), check: key % 9973 == 0) }
    try model.check()
    let root = try model.space.node(at: model.editor.root)
    // Three levels: 256 clusters fill the first inner node.
    let inner = try InnerCluster(root, in: model.space)
    expectEqual(inner.depth, 2)
    expectEqual(inner.childCount, 2)
    expectTrue(inner.offsets == nil)
  }

  @Test func scatteredKeysFillTheirLeaves() throws {
    let model = try ClusterModel()
    for sequence in 0..<2000 { try model.insert(ObjectKey.scattered(UInt64(sequence)).rawValue) }
    try model.check()
    try expectEqual(model.tree.all().map(\.count), Array(repeating: 256, count: 7) + [208])
  }

  /// `ClusterEditor` 3.
  @Test func descendingKeysSplitInTheMiddle() throws {
    let model = try ClusterModel()
    for key in stride(from: 5000, to: 0, by: -7) { try model.insert(Int64(key)) }
    try model.check()
  }

  /// `ClusterEditor` 2.
  @Test(arguments: [1, 2, 3, 4])
  func randomEditsMatchTheModel(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let model = try ClusterModel()
    // Each seed has its own density of keys: from nearly dense to the whole key space.
    let range: Int64 = [2000, 1 << 16, 1 << 40, .max - 1][Int(seed) - 1]
    for step in 0..<6000 {
      // Phases of growth and of decay, so that trees are split, merged and emptied.
      let grows = (step / 1500) % 2 == 0
      if Int.random(in: 0..<10, using: &random) < (grows ? 8 : 2) || model.values.isEmpty {
        try model.insert(Int64.random(in: 0...range, using: &random), check: step % 37 == 0)
      } else if let key = model.values.keys.randomElement(using: &random) {
        try model.erase(key, check: step % 37 == 0)
      }
    }
    try model.check()
    for key in model.values.keys.sorted() { try model.erase(key, check: false) }
    try model.check()
    #expect(try !model.space.node(at: model.editor.root).header.isInner)
  }

  @Test func erasingFromEitherEndKeepsTheTreeInShape() throws {
    for descending in [false, true] {
      let model = try ClusterModel()
      for key in 0..<3000 { try model.insert(Int64(key * 3), check: false) }
      var keys = (0..<3000).map { Int64($0 * 3) }
      if descending { keys.reverse() }
      for (step, key) in keys.enumerated() { try model.erase(key, check: step % 101 == 0) }
      try model.check()
    }
  }

  /// `ClusterEditor` 1.
  @Test(.heavy) func threeLevelsShrinkBackToOne() throws {
    let model = try ClusterModel()
    for key in 0..<66_000 { try model.insert(Int64(key), check: false) }
    try model.check()
    var random = SeededGenerator(seed: 9)
    for (step, key) in (0..<66_000).shuffled(using: &random).enumerated() {
      try model.erase(Int64(key), check: step % 6007 == 0)
    }
    try model.check()
  }

  @Test func tombstoneKeysAreOrderedAsUnsigned() throws {
    let model = try ClusterModel()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<1200 {
      try model.insert(Int64.random(in: Int64.min...(-2), using: &random), check: false)
    }
    try model.check()
    for key in Array(model.values.keys.prefix(1000)) { try model.erase(key, check: false) }
    try model.check()
  }

  @Test func aKeyInUseIsRefused() throws {
    let model = try ClusterModel()
    for key in [0, 1, 2, 7, 300] { try model.insert(Int64(key)) }
    for key in [0, 2, 7, 300] {
      #expect(try model.editor.insert(ObjectKey(Int64(key))) == nil)
    }
    #expect(try !model.editor.erase(ObjectKey(3)))
    try model.check()
  }

  /// `ClusterEditor` 3.
  @Test func columnsComeAndGoWithData() throws {
    let model = try ClusterModel()
    for key in 0..<1000 { try model.insert(Int64(key * 5), check: false) }
    let string = LeafLayout(kind: .string, isNullable: false)
    try model.editor.addColumns([(string, 4)])
    try model.check()
    var row = try #require(try model.tree.row(of: ObjectKey(2500)))
    try expectEqual(row.string(4), "")
    try model.editor.removeColumn(at: 1)
    try model.check()
    row = try #require(try model.tree.row(of: ObjectKey(2500)))
    try model.editor.removeColumn(at: 4)
    try model.check()
    // Slots at the end go with the column, as Realm Core's do.
    let cluster = try model.tree.cluster(for: ObjectKey(2500))
    expectEqual(cluster.node.count, model.editor.layouts.count + 1)
  }

  @Test func positionsAndKeysAgree() throws {
    let model = try ClusterModel()
    var random = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      try model.insert(Int64.random(in: 0..<1_000_000, using: &random), check: false)
    }
    let keys = model.values.keys.sorted()
    for (position, key) in keys.enumerated() where position % 17 == 0 {
      try expectEqual(model.tree.key(at: position), ObjectKey(key))
      try expectEqual(model.tree.position(of: ObjectKey(key)), position)
    }
    try expectEqual(model.tree.key(at: keys.count), nil)
    try expectEqual(model.tree.key(at: -1), nil)
    var cursor = ClusterCursor(model.tree)
    try cursor.seek(ObjectKey(keys[1500]))
    let cluster = try #require(try cursor.next())
    let index = try #require(cluster.index(of: ObjectKey(keys[1500])))
    let next = try #require(try cursor.next())
    expectEqual(next.key(at: 0), ObjectKey(keys[1500 + cluster.count - index]))
  }

  @Test(arguments: [3000, 1 << 40, .max - 1] as [Int64])
  func partsAreTheWholeTree(range: Int64) throws {
    var random = SeededGenerator(seed: 9)
    let model = try ClusterModel()
    for size in [0, 1, 200, 1500] {
      while model.values.count < size {
        try model.insert(Int64.random(in: 0...range, using: &random), check: false)
      }
      let all = try keys(of: ClusterCursor(model.tree))
      expectEqual(all.map(\.rawValue), model.values.keys.sorted())
      for wanted in [1, 2, 3, 32, 1000] {
        let parts = try model.tree.parts(wanted)
        expectTrue(parts.count < 2 * wanted)
        expectTrue(parts.count > 1 || wanted == 1 || size < 1500)
        expectEqual(parts.first?.ordinals.lowerBound, 0)
        expectEqual(parts.last?.ordinals.upperBound, .max)
        let joined = try parts.flatMap { try keys(of: ClusterCursor(model.tree, $0)) }
        expectEqual(joined, all)
      }
    }
  }

  private func keys(of cursor: ClusterCursor) throws -> [ObjectKey] {
    var cursor = cursor
    var keys: [ObjectKey] = []
    while let cluster = try cursor.next() {
      keys += (0..<cluster.count).map { cluster.key(at: $0) }
    }
    return keys
  }

  /// Three levels, of which runs of keys are erased.
  @Test(.heavy) func partsOfTallTreesAreTheWholeTree() throws {
    var random = SeededGenerator(seed: 10)
    let model = try ClusterModel()
    var left = (0..<66_000).map { Int64($0) * 97_001 }
    for key in left { try model.insert(key) }
    try expectEqual(
      InnerCluster(try model.space.node(at: model.editor.root), in: model.space).depth, 2)
    for _ in 0..<4 {
      for wanted in [3, 300] {
        let parts = try model.tree.parts(wanted)
        expectTrue(parts.count > 1)
        expectTrue(parts.count < 2 * wanted)
        let joined = try parts.flatMap { try keys(of: ClusterCursor(model.tree, $0)) }
        expectEqual(joined.map(\.rawValue), left)
      }
      let start = Int.random(in: 0..<left.count, using: &random)
      let end = min(start + left.count / 2, left.count)
      // Some of each cluster stays in every other run.
      let isThinned = random.chance(0.5)
      for (index, key) in left[start..<end].enumerated() where !isThinned || index % 50 != 0 {
        try model.erase(key)
      }
      left = model.values.keys.sorted()
    }
    try model.check()
  }
}
