// SPDX-License-Identifier: Apache-2.0

// Keys of columns that hold lists of links, which had a type of their own before format 24.

import RealmStorage

/// Gives columns of lists of links the type of links, in the specs of all tables and wherever other
/// tables name them. The attribute that makes them lists is there already.
///
/// Works on nodes: a table whose columns have unknown types cannot be read.
struct LinkListKeys {
  private let allocator: NodeAllocator

  private static let oldType: Int64 = 13
  private static let typeShift: Int64 = 16
  /// The number of tables and of columns that keys can distinguish.
  private static let maximumCount = 1 << 16

  init(_ allocator: NodeAllocator) { self.allocator = allocator }

  /// Replaces the keys in all tables.
  func replace(in roots: inout VersionRoots) throws(StorageError) {
    guard !roots.tables.isNull else { return }
    for index in 0..<(try count(of: allocator.node(at: roots.tables))) {
      let slot = try allocator.node(at: roots.tables).integer(at: index)
      guard let top = Ref(slot: slot) else { continue }
      roots.tables = try store(try replaced(inTableAt: top), at: index, in: roots.tables)
    }
  }

  private func replaced(inTableAt ref: Ref) throws(StorageError) -> Ref {
    let top = try TableTop(at: ref, in: allocator.space)
    let keys = try allocator.node(at: top.spec).ref(at: SpecSlot.keys)
    let spec = try store(try replaced(in: keys), at: SpecSlot.keys, in: top.spec)
    var new = try store(spec, at: TableSlot.spec, in: ref)
    if !top.oppositeColumns.isNull {
      let opposite = try replaced(in: top.oppositeColumns)
      new = try store(opposite, at: TableSlot.oppositeColumns, in: new)
    }
    return new
  }

  /// The array of column keys without the old type.
  private func replaced(in keys: Ref) throws(StorageError) -> Ref {
    var new = keys
    for index in 0..<(try count(of: IntegerNode.checked(keys, in: allocator.space))) {
      let key = try allocator.node(at: new).integer(at: index)
      guard key >> Self.typeShift & 0x3F == Self.oldType else { continue }
      let link = key - (Self.oldType - Int64(ColumnType.link.rawValue)) << Self.typeShift
      new = try IntegerNode.set(link, at: index, in: new, allocator)
    }
    return new
  }

  /// The number of elements of an array of tables or columns. Zeros take no bytes, so that the size
  /// of the file is no bound.
  private func count(of node: Node) throws(StorageError) -> Int {
    guard node.count <= Self.maximumCount else {
      throw .corrupted("there are \(node.count) tables or columns")
    }
    return node.count
  }

  /// The node with another child; itself if it is the same.
  private func store(_ child: Ref, at index: Int, in parent: Ref) throws(StorageError) -> Ref {
    guard try allocator.node(at: parent).integer(at: index) != child.slot else { return parent }
    return try IntegerNode.set(child.slot, at: index, in: parent, allocator)
  }
}
