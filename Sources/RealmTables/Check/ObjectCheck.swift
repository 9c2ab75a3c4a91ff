// SPDX-License-Identifier: Apache-2.0

// Checks 23 and 26 to 30: the columns of objects and what is in them.

import RealmStorage

/// Checks the leaves of a table's clusters and hands out the values that other checks compare.
struct ObjectCheck {
  let table: CheckedTable
  let space: NodeSpace
  let report: CheckReport

  /// The values that checks of links, keys and indexes need, gathered in one walk.
  struct Contents {
    var keys: [ObjectKey] = []
    /// The values of columns that are indexed, or the primary key, by leaf index; those of a list
    /// are in `lists`.
    var values: [Int: [MixedValue]] = [:]
    var lists: [Int: [[MixedValue]]] = [:]
    var links: LinkTally
  }

  /// The primary key and indexed columns.
  private var compared: [Column] {
    table.schema.columns.filter { $0.isPrimaryKey || $0.hasIndex }
  }

  func contents(of clusters: [Cluster]) -> Contents {
    var contents = Contents(links: LinkTally(table: table.schema.key))
    let enumerations = enumerations()
    for (done, cluster) in clusters.enumerated() {
      if done & 0xF == 0 { report.advance(done, of: clusters.count) }
      if report.isCancelled { break }
      for index in 0..<cluster.count { contents.keys.append(cluster.key(at: index)) }
      checkSlots(of: cluster)
      for column in table.schema.columns {
        let isCompared = compared.contains { $0.leafIndex == column.leafIndex }
        if column.collection == .none {
          let values = values(of: column, in: cluster, enumerations)
          for (index, value) in values.enumerated() {
            check(value, column, cluster.key(at: index), &contents.links)
          }
          if isCompared { contents.values[column.leafIndex, default: []] += values }
        } else {
          let lists = collections(of: column, in: cluster, &contents.links)
          if isCompared { contents.lists[column.leafIndex, default: []] += lists }
        }
      }
      for column in table.schema.backlinkColumns {
        readBacklinks(column, in: cluster, &contents.links)
      }
    }
    return contents
  }

  private func error(_ check: Int, _ message: String, _ column: Column, _ key: ObjectKey?) {
    let place = column.name.isEmpty ? "backlinks \(column.leafIndex)" : "'\(column.name)'"
    report.error(
      check, "\(place): \(message)", table.name, key,
      property: column.name.isEmpty ? nil : column.name)
  }

  // MARK: Columns

  private func checkSlots(of cluster: Cluster) {
    let columns = table.schema.columnsByLeafIndex
    for slot in 1..<max(cluster.node.count, 1) {
      let isUsed = slot <= columns.count && columns[slot - 1] != nil
      if !isUsed, cluster.node.uncheckedInteger(at: slot) != 0 {
        report.error(23, "leaf index \(slot - 1) has a leaf but no column", table.name)
      }
    }
  }

  private func leaf(of column: Column, in cluster: Cluster) -> Ref? {
    let ref = report.attempt(23, table.name, reading: try cluster.leafRef(column.leafIndex))
    guard let ref, !ref.isNull else {
      if ref != nil { error(23, "a cluster has no leaf", column, cluster.firstKey) }
      return nil
    }
    return ref
  }

  /// The distinct values of the enumerated columns by leaf index.
  private func enumerations() -> [Int: [MixedValue]] {
    var found: [Int: [MixedValue]] = [:]
    for column in table.schema.columns where column.isEnumerated {
      found[column.leafIndex] = report.attempt(26, table.name, reading: try enumeration(of: column))
    }
    return found
  }

  private func enumeration(of column: Column) throws(StorageError) -> [MixedValue] {
    let spec = try space.node(at: table.top.spec)
    let leaves = try space.node(at: try spec.ref(at: SpecSlot.enumerations))
    let leaf = try leaves.ref(at: column.specIndex)
    return try ElementReader.strings(in: space).values(ofLeaf: leaf, limit: space.fileEnd)
  }

  /// The values of a column that is no collection; padded with nulls if the leaf is short.
  private func values(
    of column: Column, in cluster: Cluster, _ enumerations: [Int: [MixedValue]]
  ) -> [MixedValue] {
    var values: [MixedValue] = []
    if let leaf = leaf(of: column, in: cluster) {
      let read = report.attempt(
        26, table.name, cluster.firstKey,
        reading: column.isEnumerated
          ? try enumerated(enumerations[column.leafIndex] ?? [], leaf)
          : try ElementReader(column, in: space).values(ofLeaf: leaf))
      values = read ?? []
      if let read, read.count != cluster.count {
        error(
          23, "a leaf has \(read.count) elements for \(cluster.count) objects", column,
          cluster.firstKey)
      }
    }
    if values.count > cluster.count { values.removeLast(values.count - cluster.count) }
    while values.count < cluster.count { values.append(.null) }
    return values
  }

  private func enumerated(
    _ distinct: [MixedValue], _ leaf: Ref
  ) throws(StorageError) -> [MixedValue] {
    var values: [MixedValue] = []
    for case .int(let position) in try ElementReader.integers(in: space).values(ofLeaf: leaf) {
      guard position >= 0, position < distinct.count else {
        throw .corrupted("a position is not in the enumeration")
      }
      values.append(distinct[Int(position)])
    }
    return values
  }

  /// The roots in the leaf of a collection or backlink column, one for each object.
  private func slots(of column: Column, in cluster: Cluster) -> [Int64] {
    guard let ref = leaf(of: column, in: cluster) else { return [] }
    let node = report.attempt(26, table.name, cluster.firstKey, reading: try leafOfRefs(at: ref))
    guard let node else { return [] }
    guard node.count == cluster.count else {
      error(
        23, "a leaf has \(node.count) elements for \(cluster.count) objects", column,
        cluster.firstKey)
      return []
    }
    return (0..<node.count).map { node.uncheckedInteger(at: $0) }
  }

  private func leafOfRefs(at ref: Ref) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.layout == .bits, node.header.hasRefs else {
      throw .corrupted("the leaf at \(ref.offset) should hold refs")
    }
    return node
  }

  private func readBacklinks(_ column: Column, in cluster: Cluster, _ links: inout LinkTally) {
    let integers = ElementReader.integers(in: space)
    for (index, slot) in slots(of: column, in: cluster).enumerated() {
      let target = cluster.key(at: index)
      if slot & 1 == 1 {
        let origin = ObjectKey(Int64(UInt64(bitPattern: slot) >> 1))
        links.addBacklink(column, from: origin, to: target)
        continue
      }
      let origins = report.attempt(
        27, table.name, target,
        reading: try integers.values(ofTree: Ref(Int(slot)), mayBeLong: true, report))
      for case .int(let origin) in origins ?? [] {
        links.addBacklink(column, from: ObjectKey(origin), to: target)
      }
    }
  }
}

// MARK: - Values

extension ObjectCheck {
  /// Checks 28 and 29, notes links, and goes into nested collections.
  fileprivate func check(
    _ value: MixedValue, _ column: Column, _ key: ObjectKey, _ links: inout LinkTally,
    depth: Int = 0
  ) {
    switch value {
    case .string(let text):
      if !text.isUTF8 {
        report.warning(28, "'\(column.name)': a string is not UTF-8", table.name, key)
      }
    case .timestamp(let time):
      let sameSign =
        time.seconds == 0 || time.nanoseconds == 0 || (time.seconds < 0) == (time.nanoseconds < 0)
      if !sameSign || time.nanoseconds.magnitude >= 1_000_000_000 {
        report.warning(29, "'\(column.name)': a timestamp is out of form", table.name, key)
      }
    case .typedLink(let target, let targetKey):
      links.addLink(column, from: key, to: ObjectKey(targetKey), of: target)
    case .list(let root):
      guard depth < MixedLimits.maximumDepth else {
        return error(27, "collections nest too deep", column, key)
      }
      let values = report.attempt(
        27, table.name, key,
        reading: try ElementReader.mixed(in: space).values(ofTree: root, report))
      for value in values ?? [] { check(value, column, key, &links, depth: depth + 1) }
    case .dictionary(let root):
      guard depth < MixedLimits.maximumDepth else {
        return error(27, "collections nest too deep", column, key)
      }
      checkDictionary(root, column, key, &links, depth: depth + 1)
    default: break
    }
  }

  /// The elements of each object's list or set; dictionaries are checked and give nothing.
  fileprivate func collections(
    of column: Column, in cluster: Cluster, _ links: inout LinkTally
  ) -> [[MixedValue]] {
    var all: [[MixedValue]] = []
    let reader = ElementReader(column, in: space)
    for (index, slot) in slots(of: column, in: cluster).enumerated() {
      let key = cluster.key(at: index)
      guard slot & 1 == 0 else {
        error(26, "a collection's slot holds a number", column, key)
        all.append([])
        continue
      }
      let root = Ref(Int(slot))
      if column.collection == .dictionary {
        checkDictionary(root, column, key, &links, depth: 0)
        continue
      }
      let values =
        report.attempt(27, table.name, key, reading: try reader.values(ofTree: root, report)) ?? []
      if column.collection == .set { checkOrder(ofSet: values, column, key) }
      if column.type == .link { checkContext(of: root, values, column, key) }
      for value in values { check(value, column, key, &links) }
      all.append(values)
    }
    return all
  }

  private func entries(
    of root: Ref, hasIntegerKeys: Bool
  ) throws(StorageError) -> (keys: [MixedValue], values: [MixedValue]) {
    try report.enter(root)
    let node = try space.node(at: root)
    guard node.header.hasRefs, !node.header.isInner, node.count == 2 else {
      throw .corrupted("the dictionary at \(root.offset) is malformed")
    }
    let keys: ElementReader = hasIntegerKeys ? .integers(in: space) : .strings(in: space)
    return (
      try keys.values(ofTree: try node.ref(at: 0), report),
      try ElementReader.mixed(in: space).values(ofTree: try node.ref(at: 1), report)
    )
  }

  private func checkDictionary(
    _ root: Ref, _ column: Column, _ key: ObjectKey, _ links: inout LinkTally, depth: Int
  ) {
    guard !root.isNull else { return }
    let hasIntegerKeys = column.hasIntegerKeys && depth == 0
    let entries = report.attempt(
      27, table.name, key, reading: try entries(of: root, hasIntegerKeys: hasIntegerKeys))
    guard let (keys, values) = entries else { return }
    if keys.count != values.count {
      error(30, "a dictionary has \(keys.count) keys for \(values.count) values", column, key)
    }
    for index in 1..<max(keys.count, 1)
    where !keys[index - 1].isOrdered(before: keys[index]) {
      error(30, "the keys of a dictionary do not ascend", column, key)
    }
    for name in keys {
      if case .null = name { error(30, "a key of a dictionary is null", column, key) }
      check(name, column, key, &links)
    }
    for value in values { check(value, column, key, &links, depth: depth) }
  }

  /// Check 30, with the two exceptions that real files need (file format 4.11).
  private func checkOrder(ofSet values: [MixedValue], _ column: Column, _ key: ObjectKey) {
    // NaN may stand anywhere in sets of floats, and values around it may be out of order.
    if column.type == .float || column.type == .double, values.contains(where: \.isNaN) { return }
    // A null decimal is ordered as the NaN that represents it.
    let ordered =
      column.type == .decimal
      ? values.map { if case .null = $0 { .decimal(.nullPattern) } else { $0 } } : values
    for index in 1..<max(ordered.count, 1)
    where !ordered[index - 1].isOrdered(before: ordered[index]) {
      error(30, "the elements of a set do not ascend", column, key)
      return
    }
  }

  /// A list or set with links to tombstones says so in the flags of its root.
  private func checkContext(
    of root: Ref, _ values: [MixedValue], _ column: Column, _ key: ObjectKey
  ) {
    let hasTombstones = values.contains {
      if case .typedLink(_, let target) = $0 { target < -1 } else { false }
    }
    guard hasTombstones, let node = try? space.node(at: root), !node.header.hasContext else {
      return
    }
    error(26, "links to tombstones are not flagged", column, key)
  }
}

/// Bounds of nested collections.
enum MixedLimits {
  /// Collections nest at most this deep (file format 4.9.1).
  static let maximumDepth = 100
}

extension ByteView {
  fileprivate var isUTF8: Bool { unsafe String(validating: bytes, as: UTF8.self) != nil }
}

extension Cluster {
  var firstKey: ObjectKey? { count > 0 ? key(at: 0) : nil }
}
