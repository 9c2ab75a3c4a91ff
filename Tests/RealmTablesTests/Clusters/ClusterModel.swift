// SPDX-License-Identifier: Apache-2.0

// A cluster tree and the dictionary it should equal.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// Runs edits on both, and compares. Column 0 is nullable Int, 1 is Int, 2 is unused, 3 is Bool.
final class ClusterModel {
  let scratch: ScratchSpace
  let editor: ClusterEditor
  var values: [Int64: Int64] = [:]

  var space: NodeSpace { scratch.space }
  var tree: ClusterTree { ClusterTree(root: editor.root, enumerations: .none, in: space) }

  init() throws {
    scratch = try ScratchSpace()
    let layouts: [LeafLayout?] = [
      LeafLayout(kind: .nullableInt, isNullable: true), LeafLayout(kind: .int, isNullable: false),
      nil, LeafLayout(kind: .bool, isNullable: false),
    ]
    let root = try ClusterEditor.makeEmpty(layouts: layouts, in: scratch.allocator)
    editor = ClusterEditor(
      root: root, layouts: layouts, scratch.allocator, StructureGeneration())
  }

  func insert(_ key: Int64, check checks: Bool = false) throws {
    let place = try editor.insert(ObjectKey(key))
    expectEqual((place == nil), (values[key] != nil))
    guard let place else { return }
    let value = key &* 31 &+ 7
    values[key] = value
    let slot = 1
    let leaf = try place.cluster.node.ref(at: slot)
    let new = try NullableIntegerLeaf.set(value, at: place.index, in: leaf, scratch.allocator)
    place.cluster.store(new.slot, at: slot)
    if checks { try check() }
  }

  func erase(_ key: Int64, check checks: Bool = false) throws {
    try expectEqual(editor.erase(ObjectKey(key)), (values.removeValue(forKey: key) != nil))
    if checks { try check() }
  }

  /// Compares the whole tree, and checks its invariants.
  func check(_ location: SourceLocation = #_sourceLocation) throws {
    var keys: [Int64] = []
    var mismatches = 0
    for cluster in try tree.all() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index).rawValue
        keys.append(key)
        if editor.layouts[0] != nil, try cluster.row(at: index).optionalInt(0) != values[key] {
          mismatches += 1
        }
      }
    }
    let expected = values.keys.sorted { UInt64(bitPattern: $0) < UInt64(bitPattern: $1) }
    #expect(keys == expected, sourceLocation: location)
    #expect(mismatches == 0, sourceLocation: location)
    #expect(try tree.count() == values.count, sourceLocation: location)
    _ = try checkNode(editor.root, isRoot: true, location)
    for key in expected where key % 13 == 0 {
      #expect(try tree.row(of: ObjectKey(key)) != nil, sourceLocation: location)
    }
  }

  /// Checks a node and all below; gives its depth and number of objects.
  private func checkNode(
    _ ref: Ref, isRoot: Bool, _ location: SourceLocation
  ) throws -> (depth: Int, total: Int) {
    let node = try space.node(at: ref)
    guard node.header.isInner else {
      let cluster = try Cluster(node, offset: 0, enumerations: .none, in: space)
      #expect(isRoot || cluster.count > 0, sourceLocation: location)
      #expect(cluster.node.count == editor.layouts.count + 1, sourceLocation: location)
      for (index, layout) in editor.layouts.enumerated() {
        guard let layout else {
          #expect(try node.integer(at: index + 1) == 0, sourceLocation: location)
          continue
        }
        let leaf = try space.node(at: try cluster.leafRef(index))
        let extra = layout.kind == .nullableInt ? 1 : 0
        #expect(leaf.count == cluster.count + extra, sourceLocation: location)
      }
      return (0, cluster.count)
    }
    let inner = try InnerCluster(node, in: space)
    expectTrue(inner.childCount <= 256)
    expectTrue(inner.childCount >= (isRoot ? 2 : 1))
    #expect(inner.offset(of: 0) == 0, sourceLocation: location)
    var total = 0
    for child in 0..<inner.childCount {
      if child > 0 {
        #expect(inner.offset(of: child) > inner.offset(of: child - 1), sourceLocation: location)
      }
      let below = try checkNode(try inner.ref(of: child), isRoot: false, location)
      #expect(below.depth == inner.depth - 1, sourceLocation: location)
      total += below.total
    }
    #expect(try inner.total() == total, sourceLocation: location)
    return (inner.depth, total)
  }
}
