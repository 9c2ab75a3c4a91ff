// SPDX-License-Identifier: Apache-2.0

// The root node of a version (file format 1.4).

/// The roots of the tables in one version; both are null in a file that was never committed to.
package struct VersionRoots: Hashable, Sendable {
  /// The node of table names.
  package var tableNames: Ref
  /// The node of tables, parallel to the names.
  package var tables: Ref

  package init(tableNames: Ref = .null, tables: Ref = .null) {
    self.tableNames = tableNames
    self.tables = tables
  }
}

/// The decoded top array.
package struct TopArray: Hashable, Sendable {
  package var roots = VersionRoots()
  package var logicalSize = FileHeader.byteCount
  package var freePositions = Ref.null
  package var freeLengths = Ref.null
  package var freeVersions = Ref.null
  package var version: UInt64 = 1
  package var historyType = 0
  package var history = Ref.null
  package var historySchemaVersion = 0
  package var fileIdentifier = 0
  /// Slot 11 as it stands there; a ref if file shrinking is under way.
  package var evacuation: Int64 = 0
  /// The number of slots in the file; 0 if there is no top array.
  package var slotCount = 0

  /// Versions beyond cannot come from counting commits; the limit keeps arithmetic safe.
  private static let versionLimit = 1 << 56
  static let slotCounts: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

  /// The top of a file without one.
  package init() {}

  /// Reads the top array at `ref`; a null ref gives the top of an empty file.
  ///
  /// - Throws: `StorageError.corrupted`.
  package init(at ref: Ref, in space: NodeSpace) throws(StorageError) {
    guard !ref.isNull else { return }
    let node = try space.node(at: ref)
    guard node.header.hasRefs, !node.header.isInner, node.header.layout == .bits,
      Self.slotCounts.contains(node.count)
    else { throw .corrupted("the node at \(ref.offset) is no top array") }
    slotCount = node.count
    roots = VersionRoots(tableNames: try node.ref(at: 0), tables: try node.ref(at: 1))
    guard !roots.tableNames.isNull, !roots.tables.isNull else {
      throw .corrupted("the top array has no tables")
    }
    logicalSize = try node.taggedNumber(at: 2)
    guard logicalSize & 7 == 0, logicalSize >= FileHeader.byteCount else {
      throw .corrupted("the logical size \(logicalSize) is impossible")
    }
    try readOptionalSlots(node)
  }

  private mutating func readOptionalSlots(_ node: Node) throws(StorageError) {
    if slotCount >= 5 {
      freePositions = try node.ref(at: 3)
      freeLengths = try node.ref(at: 4)
      guard freePositions.isNull == freeLengths.isNull else {
        throw .corrupted("the free list is incomplete")
      }
    }
    if slotCount >= 7 {
      freeVersions = try node.ref(at: 5)
      let number = try Self.number(6, of: node)
      guard number < Self.versionLimit else { throw .corrupted("the version \(number) is absurd") }
      version = UInt64(max(1, number))
    }
    if slotCount >= 9 {
      historyType = try Self.number(7, of: node)
      history = try node.ref(at: 8)
    }
    if slotCount >= 10 { historySchemaVersion = try Self.number(9, of: node) }
    if slotCount >= 11 { fileIdentifier = try Self.number(10, of: node) }
    if slotCount >= 12 { evacuation = try node.integer(at: 11) }
  }

  /// A number behind the logical size: Realm Core fills slots that it skips with plain zeros.
  private static func number(_ slot: Int, of node: Node) throws(StorageError) -> Int {
    try node.integer(at: slot) == 0 ? 0 : try node.taggedNumber(at: slot)
  }

  /// The slots of the top array that a commit writes.
  var slots: [Int64] {
    [
      roots.tableNames.slot, roots.tables.slot, Tagged.slot(logicalSize), freePositions.slot,
      freeLengths.slot, freeVersions.slot, Tagged.slot(Int(version)), Tagged.slot(historyType),
      history.slot, Tagged.slot(historySchemaVersion), Tagged.slot(fileIdentifier),
    ]
  }

  /// The parts of a version that a reader needs, read without decoding the rest.
  static func roots(at ref: Ref, in space: NodeSpace) throws(StorageError) -> VersionRoots {
    guard !ref.isNull else { return VersionRoots() }
    let node = try space.node(at: ref)
    return VersionRoots(tableNames: try node.ref(at: 0), tables: try node.ref(at: 1))
  }
}
