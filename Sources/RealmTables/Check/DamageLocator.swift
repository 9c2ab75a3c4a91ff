// SPDX-License-Identifier: Apache-2.0

// Whose data is in a damaged node.
//
// A node knows nothing of what it holds. So where the check of the nodes has found some that are
// not as they were written, the tables are walked to them. What a damaged node leads to is not
// relied on: refs are checked as everywhere, and no node is entered twice.

import RealmStorage

/// Finds the classes, properties and objects of damaged nodes.
struct DamageLocator {
  /// Whose data a node holds.
  private struct Owner {
    var type: String
    var property: String?
    /// The first and the last object.
    var keys: (first: ObjectKey, last: ObjectKey)?
  }

  private let space: NodeSpace
  private let offsets: Set<Int>
  private var owners: [Int: Owner] = [:]
  private var entered: Set<Int> = []

  /// The findings with the classes, properties and objects whose nodes they name, as far as these
  /// can be told.
  static func place(
    _ findings: [CheckFinding], tableNames: Ref, tables: Ref, in space: NodeSpace
  ) -> [CheckFinding] {
    let offsets = Set(findings.compactMap(\.byteOffset))
    guard !offsets.isEmpty else { return findings }
    var locator = DamageLocator(space: space, offsets: offsets)
    let found = GroupCheck(space: space, report: CheckReport())
      .tables(names: tableNames, tables: tables)
    for table in found { locator.walk(table, in: tables) }
    return findings.map { finding in
      guard let owner = finding.byteOffset.flatMap({ locator.owners[$0] }) else { return finding }
      var message = finding.message
      if let (first, last) = owner.keys, first != last {
        message += ", with values of the objects \(first.rawValue) to \(last.rawValue)"
      }
      return CheckFinding(
        check: finding.check, severity: finding.severity, message, objectType: owner.type,
        property: owner.property,
        objectKey: owner.keys.flatMap { $0.first == $0.last ? $0.first.rawValue : nil },
        byteOffset: finding.byteOffset)
    }
  }

  private init(space: NodeSpace, offsets: Set<Int>) {
    self.space = space
    self.offsets = offsets
  }

  /// The node at a ref, unless it was entered before, or is none.
  private mutating func enter(_ ref: Ref, _ owner: Owner) -> Node? {
    guard !ref.isNull, entered.insert(ref.offset).inserted else { return nil }
    if offsets.contains(ref.offset) { owners[ref.offset] = owner }
    return try? space.node(at: ref)
  }

  private mutating func walk(_ table: CheckedTable, in tables: Ref) {
    let owner = Owner(type: table.name)
    walkClusters(table.top.clusters, offset: 0, table, owner)
    walkClusters(table.top.tombstones, offset: 0, table, owner)
    // All that is left of the table: its description and its indexes.
    guard let slots = try? space.node(at: tables), let ref = try? slots.ref(at: table.top.key.index)
    else { return }
    walk(ref, owner)
  }

  private mutating func walkClusters(
    _ ref: Ref, offset: UInt64, _ table: CheckedTable, _ owner: Owner
  ) {
    var pending = [(ref: ref, offset: offset)]
    while let (ref, offset) = pending.popLast() {
      guard let node = enter(ref, owner) else { continue }
      guard node.header.isInner else {
        walkLeaves(of: node, offset: offset, table, owner)
        continue
      }
      guard let inner = try? InnerCluster(node, in: space) else { continue }
      for child in 0..<inner.childCount {
        guard let ref = try? inner.ref(of: child) else { continue }
        pending.append((ref, offset &+ inner.offset(of: child)))
      }
    }
  }

  private mutating func walkLeaves(
    of node: Node, offset: UInt64, _ table: CheckedTable, _ owner: Owner
  ) {
    let enumerations = EnumerationPlace(spec: table.top.spec)
    guard let cluster = try? Cluster(node, offset: offset, enumerations: enumerations, in: space),
      cluster.count > 0
    else { return }
    var owner = owner
    owner.keys = (cluster.key(at: 0), cluster.key(at: cluster.count - 1))
    if let keys = try? node.integer(at: 0), let ref = Ref(slot: keys) { walk(ref, owner) }
    for column in table.schema.columns + table.schema.backlinkColumns {
      guard let ref = try? cluster.leafRef(column.leafIndex) else { continue }
      owner.property = column.name.isEmpty ? nil : column.name
      walkLeaf(ref, of: cluster, owner)
    }
  }

  /// A leaf with one ref for each object leads to what one object has.
  private mutating func walkLeaf(_ ref: Ref, of cluster: Cluster, _ owner: Owner) {
    guard let leaf = enter(ref, owner) else { return }
    guard leaf.header.hasRefs, leaf.header.layout == .bits else { return }
    let isByObject = leaf.count == cluster.count && !leaf.header.isInner
    for index in 0..<leaf.count where leaf.header.width > 0 {
      guard let child = Ref(slot: leaf.uncheckedInteger(at: index)) else { continue }
      var owner = owner
      if isByObject { owner.keys = (cluster.key(at: index), cluster.key(at: index)) }
      walk(child, owner)
    }
  }

  private mutating func walk(_ root: Ref, _ owner: Owner) {
    var pending = [root]
    while let ref = pending.popLast() {
      guard let node = enter(ref, owner), node.header.hasRefs, node.header.layout == .bits,
        node.header.width > 0
      else { continue }
      for index in 0..<node.count {
        if let child = Ref(slot: node.uncheckedInteger(at: index)) { pending.append(child) }
      }
    }
  }
}
