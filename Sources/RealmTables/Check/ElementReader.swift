// SPDX-License-Identifier: Apache-2.0

// Reads whole leaves and trees for the checks, all types as mixed values.

import RealmStorage

/// Reads the elements of one type of leaf, after checking the leaf.
///
/// Links become typed links, so that the checks of links need not know where they came from; a link
/// to a tombstone stays what it is.
struct ElementReader {
  private enum Kind {
    case int, nullableInt, bool, float, double, string, binary, timestamp, decimal, objectId, uuid
    case link(table: Int64)
    case linkElement(table: Int64)
    case typedLink, mixed
  }

  private let kind: Kind
  let space: NodeSpace

  /// A reader for the leaves of a single-value column, which is not enumerated, or for the elements
  /// of a list or set column.
  init(_ column: Column, in space: NodeSpace) {
    self.space = space
    let table = Int64((column.targetTable ?? .null).rawValue)
    switch column.type {
    case .int: kind = column.isNullable ? .nullableInt : .int
    case .bool: kind = .bool
    case .string: kind = .string
    case .binary: kind = .binary
    case .mixed: kind = .mixed
    case .timestamp: kind = .timestamp
    case .float: kind = .float
    case .double: kind = .double
    case .decimal: kind = .decimal
    case .link: kind = column.collection == .none ? .link(table: table) : .linkElement(table: table)
    case .objectId: kind = .objectId
    case .uuid: kind = .uuid
    case .typedLink: kind = .typedLink
    case .backlink: kind = .int
    }
  }

  private init(kind: Kind, in space: NodeSpace) {
    self.kind = kind
    self.space = space
  }

  static func integers(in space: NodeSpace) -> ElementReader { .init(kind: .int, in: space) }
  static func strings(in space: NodeSpace) -> ElementReader { .init(kind: .string, in: space) }
  static func mixed(in space: NodeSpace) -> ElementReader { .init(kind: .mixed, in: space) }

  /// The elements of a leaf.
  ///
  /// - Throws: `StorageError.corrupted` if the leaf is malformed.
  func values(ofLeaf ref: Ref) throws(StorageError) -> [MixedValue] {
    switch kind {
    case .int: try read(IntegerLeaf.self, ref) { .int($0) }
    case .nullableInt: try read(NullableIntegerLeaf.self, ref) { $0.map { .int($0) } ?? .null }
    case .bool: try read(BoolLeaf.self, ref) { $0.map { .bool($0) } ?? .null }
    case .float: try read(FloatLeaf.self, ref) { $0.map { .float($0) } ?? .null }
    case .double: try read(DoubleLeaf.self, ref) { $0.map { .double($0) } ?? .null }
    case .string: try read(StringLeaf.self, ref) { $0.map { .string($0) } ?? .null }
    case .binary: try read(BinaryLeaf.self, ref) { $0.map { .binary($0) } ?? .null }
    case .timestamp: try read(TimestampLeaf.self, ref) { $0.map { .timestamp($0) } ?? .null }
    case .decimal: try read(DecimalLeaf.self, ref) { $0.map { .decimal($0) } ?? .null }
    case .objectId: try read(ObjectIdLeaf.self, ref) { $0.map { .objectId($0) } ?? .null }
    case .uuid: try read(UUIDLeaf.self, ref) { $0.map { .uuid($0) } ?? .null }
    case .link(let table):
      try read(LinkLeaf.self, ref) { $0.map { .typedLink(table: table, key: $0) } ?? .null }
    case .linkElement(let table):
      try read(IntegerLeaf.self, ref) { $0 == -1 ? .null : .typedLink(table: table, key: $0) }
    case .typedLink: try typedLinks(ref)
    case .mixed: try read(MixedLeaf.self, ref) { $0 }
    }
  }

  private func read<L: Leaf>(
    _ leaf: L.Type, _ ref: Ref, _ convert: (L.Value) -> MixedValue
  ) throws(StorageError) -> [MixedValue] {
    try L.validate(ref, in: space)
    let count = try L.count(ref, in: space)
    var values: [MixedValue] = []
    values.reserveCapacity(count)
    for index in 0..<count { values.append(convert(try L.value(at: index, of: ref, in: space))) }
    return values
  }

  /// Columns of typed links, which no SDK makes: pairs of table and object, both plus one.
  private func typedLinks(_ ref: Ref) throws(StorageError) -> [MixedValue] {
    let node = try space.node(at: ref)
    guard node.count % 2 == 0 else { throw .corrupted("a leaf of typed links has half a link") }
    var values: [MixedValue] = []
    for index in stride(from: 0, to: node.count, by: 2) {
      let table = try node.integer(at: index)
      let key = try node.integer(at: index + 1)
      values.append(table == 0 ? .null : .typedLink(table: table - 1, key: key - 1))
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
      let elements = try self.values(ofLeaf: ref)
      // Lists of backlinks from before format 24 are one leaf, whatever their size.
      guard elements.count <= BTreeLimits.entryCount || mayBeLong && isRoot else {
        throw .corrupted("a leaf of a B+ tree has \(elements.count) elements")
      }
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
  private func starts(
    of node: Node, childCount: Int
  ) throws(StorageError) -> (Int) -> Int {
    if let perChild = Tagged.number(try node.integer(at: 0)) {
      return { $0.multipliedReportingOverflow(by: perChild).partialValue }
    }
    let offsets = try space.node(at: try node.ref(at: 0))
    guard offsets.header.layout == .bits, !offsets.header.hasRefs,
      offsets.count == childCount - 1
    else { throw .corrupted("a B+ tree node has \(offsets.count) offsets") }
    return { child in
      guard child > 0 else { return 0 }
      return Int(
        truncatingIfNeeded: PackedIntegers.loadUnsigned(
          offsets.payload, widthCode: offsets.header.widthCode, at: child - 1))
    }
  }
}
