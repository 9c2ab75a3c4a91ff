// SPDX-License-Identifier: Apache-2.0

// Reads whole leaves and trees for the checks, all types as mixed values.

import RealmStorage

/// Reads the elements of one type of leaf, after checking the leaf.
///
/// Links become typed links, so that the checks of links need not know where they came from; a link
/// to a tombstone stays what it is.
struct ElementReader {
  private enum Elements {
    case of(Column)
    case integers, strings, mixed
  }

  private let elements: Elements
  let space: NodeSpace

  /// A reader for the leaves of a single-value column, which is not enumerated, or for the elements
  /// of a list or set column.
  init(_ column: Column, in space: NodeSpace) {
    self.init(column.type == .backlink ? .integers : .of(column), in: space)
  }

  private init(_ elements: Elements, in space: NodeSpace) {
    self.elements = elements
    self.space = space
  }

  static func integers(in space: NodeSpace) -> ElementReader { .init(.integers, in: space) }
  static func strings(in space: NodeSpace) -> ElementReader { .init(.strings, in: space) }
  static func mixed(in space: NodeSpace) -> ElementReader { .init(.mixed, in: space) }

  /// The elements of a leaf.
  ///
  /// - Parameter limit: A leaf with more is malformed: one of zeros takes no bytes for them.
  /// - Throws: `StorageError.corrupted` if the leaf is malformed.
  func values(
    ofLeaf ref: Ref, limit: Int = BTreeLimits.entryCount
  ) throws(StorageError) -> [MixedValue] {
    let reading = LeafReading(ref: ref, limit: limit, space: space)
    switch elements {
    case .of(let column):
      return try column.visitElements(
        LeafReading(ref: ref, target: column.targetTable ?? .null, limit: limit, space: space))
    case .integers: return try reading.visit(IntegerCodec.self)
    case .strings: return try reading.visit(StringCodec.self)
    case .mixed: return try reading.visit(MixedCodec.self)
    }
  }
}

private struct LeafReading: ElementVisitor {
  let ref: Ref
  var target = TableKey.null
  let limit: Int
  let space: NodeSpace

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> [MixedValue] {
    let count = try C.L.count(ref, in: space)
    guard count <= limit else {
      throw .corrupted("the leaf at \(ref.offset) has \(count) elements")
    }
    try C.L.validate(ref, in: space)
    var values: [MixedValue] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      values.append(C.mixed(try C.L.value(at: index, of: ref, in: space), target: target))
    }
    return values
  }
}

// MARK: - Trees

extension ElementReader {
  /// The elements of a B+ tree in order; none for a null root.
  ///
  /// - Throws: `StorageError.corrupted` if the tree breaks a rule of the format.
  func values(
    ofTree root: Ref, mayBeLong: Bool = false, _ report: CheckReport
  ) throws(StorageError) -> [MixedValue] {
    guard !root.isNull else { return [] }
    var values: [MixedValue] = []
    let node = try space.node(at: root)
    _ = try appendValues(of: root, isRoot: true, mayBeLong: mayBeLong, to: &values, report)
    if node.header.isInner, values.isEmpty { throw .corrupted("an inner B+ tree node is empty") }
    return values
  }

  /// Appends what is below a node; gives its depth.
  private func appendValues(
    of ref: Ref, isRoot: Bool, mayBeLong: Bool, to values: inout [MixedValue],
    _ report: CheckReport
  ) throws(StorageError) -> Int {
    try report.enter(ref)
    let node = try space.node(at: ref)
    guard node.header.isInner else {
      // Lists of backlinks from before format 24 are one leaf, whatever their size.
      let elements = try self.values(
        ofLeaf: ref, limit: mayBeLong && isRoot ? space.fileEnd : BTreeLimits.entryCount)
      guard isRoot || !elements.isEmpty else { throw .corrupted("a B+ tree has an empty leaf") }
      values += elements
      return 0
    }
    return try appendChildren(of: node, ref, to: &values, report)
  }

  private func appendChildren(
    of node: Node, _ ref: Ref, to values: inout [MixedValue], _ report: CheckReport
  ) throws(StorageError) -> Int {
    let childCount = node.count - 2
    guard node.header.hasRefs, (1...BTreeLimits.entryCount).contains(childCount) else {
      throw .corrupted("an inner B+ tree node has \(node.count) slots")
    }
    let begin = values.count
    let starts = try starts(of: node, childCount: childCount)
    var depth: Int?
    for child in 0..<childCount {
      guard values.count - begin == starts(child) else {
        throw .corrupted(
          "child \(child) of the B+ tree node at \(ref.offset) starts at element "
            + "\(values.count - begin), not \(starts(child))")
      }
      let below = try appendValues(
        of: try node.ref(at: child + 1), isRoot: false, mayBeLong: false, to: &values, report)
      guard depth == nil || depth == below else {
        throw .corrupted("the leaves of a B+ tree have different depths")
      }
      depth = below
    }
    let total = try node.taggedNumber(at: childCount + 1)
    guard total == values.count - begin else {
      throw .corrupted(
        "a B+ tree node counts \(total) elements, has \(values.count - begin)")
    }
    return (depth ?? 0) + 1
  }

  /// Where each child of an inner node should start.
  private func starts(of node: Node, childCount: Int) throws(StorageError) -> (Int) -> Int {
    if let perChild = Tagged.number(try node.integer(at: 0)) {
      return { $0.multipliedReportingOverflow(by: perChild).partialValue }
    }
    let offsets = try space.node(at: try node.ref(at: 0))
    guard offsets.header.layout == .bits, !offsets.header.hasRefs,
      offsets.count == childCount - 1
    else { throw .corrupted("a B+ tree node has \(offsets.count) offsets") }
    return { child in
      guard child > 0 else { return 0 }
      return unsafe Int(
        truncatingIfNeeded: PackedIntegers.loadUnsigned(
          offsets.payload, widthCode: offsets.header.widthCode, at: child - 1))
    }
  }
}
