// SPDX-License-Identifier: Apache-2.0

// Counts that files claim, and trees that come to the same nodes again and again: reading them ends
// by an error, in little time and memory.

import RealmStorage
import TestExtensions
import Testing

@testable import RealmTables

struct ClaimedCountTests {
  private static let claims: [Int64] = [-1, .min >> 1, 1 << 24, 1 << 40, .max >> 1]

  /// Columns of a list of integers, a set of integers, and a list of links.
  private static func columns() throws -> [Column] {
    let file = try DatabaseFile.open(
      path: "/claimed-counts.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let table = try group.createTable(named: "class_Claim")
    return [
      try table.addColumn(named: "list", type: .int, collection: .list),
      try table.addColumn(named: "set", type: .int, collection: .set),
      try table.addColumn(named: "links", type: .link, collection: .list, target: table.key),
    ]
  }

  /// The nodes of an image as a reader has them: no node may be written.
  private func readers(_ image: FileImage) -> NodeSpace {
    NodeSpace(base: image.space.base, fileEnd: image.space.slabEnd)
  }

  @Test(arguments: claims) func collectionsRefuseThem(_ claim: Int64) throws {
    let image = try FileImage(fixture: "empty")
    var root = try BTree<IntegerLeaf>.make(in: image.allocator)
    for _ in 0...BTreeLimits.entryCount {
      root = try BTree<IntegerLeaf>.append(0, to: root, image.allocator)
    }
    let last = try image.space.node(at: root).count - 1
    let damaged = try IntegerNode.set(claim << 1 | 1, at: last, in: root, image.allocator)
    for column in try Self.columns() {
      for space in [image.space, readers(image)] {
        #expect(throws: StorageError.self, "\(column.name)") {
          try ListView(root: damaged, column: column, in: space).values()
        }
      }
    }
    #expect(throws: StorageError.self) {
      var cursor = try BTreeLeafCursor<IntegerLeaf>(damaged, in: image.space)
      while try cursor.next() != nil {}
    }
  }

  /// A leaf without bits takes eight bytes, whatever it claims.
  @Test func aLeafWithoutBitsHasNoMillions() throws {
    let image = try FileImage(fixture: "empty")
    let leaf = try IntegerNode.make(
      repeating: 0, count: NodeHeader.maximumCount, in: image.allocator)
    let offset = leaf.ref.offset + NodeHeader.byteCount
    let space = NodeSpace(base: image.space.base, fileEnd: offset)
    expectTrue(space.elementCountMax(below: leaf.ref) < NodeHeader.maximumCount)
    let column = try Self.columns()[0]
    #expect(throws: StorageError.self) { try ListView(root: leaf.ref, column: column, in: space) }
  }

  @Test(arguments: claims) func tablesRefuseOrReportThem(_ claim: Int64) throws {
    let image = try FileImage(fixture: "todo")
    let path = try image.clusters(of: "class_Todo")
    try image.set(claim << 1 | 1, at: 2, path: path)
    let root = try image.node(path.dropLast()).ref(at: TableSlot.clusters)
    // The slab has room for millions.
    if claim != 1 << 24 {
      let number = try #require(Tagged.number(claim << 1 | 1))
      #expect(throws: StorageError.impossibleCount(number, of: root)) {
        try ClusterTree.count(of: root, in: readers(image))
      }
    }
    expectTrue(!image.findings().isEmpty)
  }

  /// Each of five inner nodes has the next one a hundred times: ten thousand million clusters.
  @Test func aTreeOfTheSameNodesEnds() throws {
    let image = try FileImage(fixture: "todo")
    let path = try image.clusters(of: "class_Todo")
    var child = try image.node(path).integer(at: 3)
    for depth in 1...5 {
      let slots = [0, Tagged.slot(depth), Tagged.slot(1)] + Array(repeating: child, count: 100)
      child = try IntegerNode.make(slots, flags: [.hasRefs, .inner], in: image.allocator).ref.slot
    }
    let end = try #require(Ref(slot: child)).offset + 4_096
    let space = NodeSpace(base: image.space.base, fileEnd: end)
    let spec = try image.node(path.dropLast()).ref(at: TableSlot.spec)
    let tree = ClusterTree(
      root: try #require(Ref(slot: child)), enumerations: EnumerationPlace(spec: spec), in: space)
    var cursor = ClusterCursor(tree)
    var clusterCount = 0
    #expect(throws: StorageError.self) {
      while try cursor.next() != nil { clusterCount += 1 }
    }
    expectTrue(clusterCount > 100 && clusterCount <= end)
  }

  /// Each of eight lists has the next one twenty times.
  @Test func collectionsInsideOfThemselvesEnd() throws {
    let image = try FileImage(fixture: "empty")
    var value = MixedValue.int(1)
    var end = 0
    for _ in 1...8 {
      var root = try BTree<MixedLeaf>.make(in: image.allocator)
      for _ in 1...20 { root = try BTree<MixedLeaf>.append(value, to: root, image.allocator) }
      value = .list(root)
      end = root.offset + 8_192
    }
    let space = NodeSpace(base: image.space.base, fileEnd: end)
    #expect(throws: StorageError.corrupted("nested collections do not end")) {
      try MixedCodec.decode(value, in: space)
    }
  }

  /// A node without bits that claims as many elements as a header can.
  private func widthless(
    _ flags: NodeFlags, _ layout: NodeLayout, _ image: FileImage
  ) throws -> Ref {
    let node = try IntegerNode.make([1], in: image.allocator)
    let header = NodeHeader(
      flags: flags, layout: layout, widthCode: 0, count: NodeHeader.maximumCount)
    image.reservation.base.storeBytes(
      of: header.bits, toByteOffset: node.ref.offset, as: UInt64.self)
    return node.ref
  }

  @Test func tablesWithoutBitsAreRefused() throws {
    let image = try FileImage(fixture: "todo")
    image.tables = try widthless(.hasRefs, .bits, image)
    image.tableNames = try widthless([], .multiply, image)
    let roots = VersionRoots(tableNames: image.tableNames, tables: image.tables)
    #expect(throws: StorageError.self) { try TableList(roots, in: readers(image)) }
    expectEqual(
      image.findings().map(\.message), ["the array of tables claims 16777215 of them"])
  }

  @Test func columnsWithoutBitsAreRefused() throws {
    let image = try FileImage(fixture: "todo")
    let table = try image.index(of: "class_Todo")
    for slot in [SpecSlot.types, SpecSlot.attributes, SpecSlot.keys] {
      try image.edit([table, TableSlot.spec, slot]) { _ in try widthless([], .bits, image) }
    }
    let ref = try image.node([]).ref(at: table)
    #expect(throws: StorageError.self) {
      let top = try TableTop(at: ref, in: image.space)
      _ = try SchemaDecoder(top, name: "class_Todo", in: image.space)
    }
    expectTrue(image.findings().contains { $0.message.contains("claims 16777215 columns") })
  }

  @Test(arguments: [TableSlot.oppositeTables, TableSlot.oppositeColumns])
  func oppositesWithoutBitsAreRefused(_ slot: Int) throws {
    let image = try FileImage(fixture: "todo")
    let table = try image.index(of: "class_Todo")
    try image.edit([table, slot]) { _ in try widthless([], .bits, image) }
    let top = try TableTop(at: image.node([]).ref(at: table), in: image.space)
    #expect(throws: StorageError.self) { try SpecEditor(top, in: image.space) }
  }
}
