// SPDX-License-Identifier: Apache-2.0

// The tables of clusters to which no table leads.
//
// 1. A cluster that fits one description alone gets that one: of a table with lost objects, or one
//    found apart from its table. If it fits none, or several, its class has no name.
// 2. Older states of saved objects are left out where they can be recognised: by a table
//    without a loss, by a leaf in common with objects of the file, or by the key of
//    one.

import RealmStorage
import RealmTables

/// Puts tables together from the clusters of a damaged file.
struct FoundTables {
  /// The columns of a table, as far as they are known.
  private struct Layout {
    let slot: Int
    let key: TableKey
    /// The offset of the description.
    let spec: Int
    /// The kinds of leaves by their places in clusters.
    let kinds: [LeafKind?]
    var hasPrimaryKey = false
    /// The table's top array, where the roots lead to it.
    var top: Int?
    /// How many objects of the table are missing; nil for a table found apart.
    var lost: Int?
  }

  private let scan: NodeScan
  private let clusters: ClusterScan
  private var known: [Layout] = []
  private var loose: [Layout] = []
  private let names: [String]
  private let hasMissingTables: Bool
  private let isFound: Bool
  /// The clusters and leaves of readable tables, and those found since.
  private var taken: Set<Int> = []
  private var takenLeaves: Set<Int64> = []
  /// The tables with something found.
  private(set) var tables: [FoundTable] = []
  /// The candidates for nameless tables, by their positions in `tables`.
  private var nameless: [Int: [LeafKinds?]] = [:]
  /// How many keys the parts of a table take, by its slot.
  private var nextBase: [Int: UInt64] = [:]

  /// - Parameters:
  ///   - report: The result with these roots; nil without one.
  ///   - isFound: Whether the roots were found, so that they may lack tables.
  init(_ scan: NodeScan, roots: NodeScan.Roots, report: SalvageReport?, isFound: Bool) {
    self.scan = scan
    let names = roots.names.flatMap { scan.node(at: Int64($0)) }.flatMap(scan.texts) ?? []
    self.names = names
    let isUnreadable = names.indices.contains { slot in
      names[slot].hasPrefix("class_")
        && !(slot < roots.tables.count && scan.isTable(roots.tables[slot]))
    }
    hasMissingTables = names.isEmpty || isUnreadable
    self.isFound = isFound
    guard isFound || hasMissingTables || report?.isComplete != true else {
      clusters = ClusterScan()
      return
    }
    let specs = Set(
      scan.offsets.filter { offset in scan.node(at: Int64(offset)).map(scan.isSpec) ?? false })
    clusters = ClusterScan(scan, specs: specs)
    findKnown(roots, report)
    findLoose(specs, roots)
    for tree in clusters.trees { assign(tree) }
    if isFound || hasMissingTables { addLooseLeaves(report) }
    describeNameless()
  }

  /// The description of a table, as the leaves of its clusters.
  private func layout(_ spec: Int, slot: Int, key: TableKey) -> Layout? {
    guard let node = scan.node(at: Int64(spec)), let keys = scan.child(SpecSlot.keys, of: node)
    else { return nil }
    let enumerations = scan.child(SpecSlot.enumerations, of: node)
    var kinds: [LeafKind?] = []
    for index in 0..<keys.header.count {
      let column = ColumnKey(scan.element(index, of: keys))
      guard let type = column.type, let collection = column.attributes.collection else {
        return nil
      }
      let isEnumerated = enumerations.map { scan.element(index, of: $0) != 0 } ?? false
      while kinds.count <= column.leafIndex { kinds.append(nil) }
      kinds[column.leafIndex] = LeafKind(
        type: type, collection: collection, isNullable: column.attributes.contains(.nullable),
        isEnumerated: isEnumerated)
    }
    return kinds.isEmpty ? nil : Layout(slot: slot, key: key, spec: spec, kinds: kinds)
  }

  private mutating func findKnown(_ roots: NodeScan.Roots, _ report: SalvageReport?) {
    for (slot, ref) in roots.tables.enumerated() where scan.isTable(ref) {
      guard let top = scan.node(at: ref) else { continue }
      let key = TableKey(UInt32(truncatingIfNeeded: scan.element(TableSlot.key, of: top) >> 1))
      let spec = Int(scan.element(TableSlot.spec, of: top))
      for cluster in clusters.clusters(below: Int(scan.element(TableSlot.clusters, of: top))) {
        take(cluster)
      }
      guard var layout = layout(spec, slot: slot, key: key) else { continue }
      layout.hasPrimaryKey = scan.element(TableSlot.primaryKey, of: top) != 0
      let name = slot < names.count ? names[slot] : RebuiltFile.madeUpName(slot)
      if let report, report.unreadable.contains(slot), name.hasPrefix("class_") {
        let root = Ref(Int(scan.element(TableSlot.clusters, of: top)))
        tables.append(
          FoundTable(
            slot: slot, key: key, name: name, description: .spec(spec),
            parts: [DamagedTables.Part(root: root, base: 0, isFiller: false)], top: Int(ref)))
        continue
      }
      let saved = report?.classes.first { "class_" + $0.name == name }
      // Embedded objects come with their owners.
      layout.lost =
        saved.map { $0.saved == 0 && $0.expected != 0 ? .max : $0.lostObjects ?? 0 } ?? 0
      known.append(layout)
    }
  }

  /// Finds the descriptions to which no table leads.
  private mutating func findLoose(_ specs: Set<Int>, _ roots: NodeScan.Roots) {
    let slots = Set(known.map(\.slot))
    let used = Set(known.map(\.spec))
    for spec in specs.sorted() where !used.contains(spec) {
      guard let node = scan.node(at: Int64(spec)), let keys = scan.child(SpecSlot.keys, of: node)
      else { continue }
      // The tag of a column is the key of its table, but for columns added after others
      // had been removed (file format 3.3).
      var counts: [UInt32: Int] = [:]
      for index in 0..<keys.header.count {
        counts[ColumnKey(scan.element(index, of: keys)).tag, default: 0] += 1
      }
      guard let tag = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else {
        continue
      }
      let key = TableKey(tag)
      guard !slots.contains(key.index), key.index < Self.slotMax,
        var layout = layout(spec, slot: key.index, key: key)
      else { continue }
      if key.index < roots.tables.count, let top = scan.node(at: roots.tables[key.index]),
        top.header.hasRefs, scan.element(TableSlot.spec, of: top) == Int64(spec)
      {
        layout.top = top.offset
        layout.hasPrimaryKey = scan.element(TableSlot.primaryKey, of: top) != 0
      }
      let isNamed = key.index < names.count
      if isNamed ? !names[key.index].hasPrefix("class_") : isMetadata(node) {
        // A table hidden from apps.
        layout.lost = 0
        known.append(layout)
      } else {
        loose.append(layout)
      }
    }
  }

  /// Whether a description belongs to the table with the version of the schema.
  private func isMetadata(_ spec: NodeScan.Found) -> Bool {
    scan.child(SpecSlot.names, of: spec).flatMap(scan.texts) == ["version"]
  }

  /// The largest believable number of a table.
  private static let slotMax = 10_000

  private mutating func take(_ cluster: Int) {
    taken.insert(cluster)
    takenLeaves.formUnion(clusters.clusters[cluster]?.leaves ?? [])
  }

  // MARK: Trees

  /// Gives a tree to its table.
  private mutating func assign(_ tree: ClusterScan.Tree) {
    let new = tree.clusters.filter { !taken.contains($0) }
    guard !new.isEmpty else { return }
    let isOlder =
      new.count < tree.clusters.count
      || new.contains { !takenLeaves.isDisjoint(with: clusters.clusters[$0]?.leaves ?? []) }
    let fitting = known.indices.filter { fits(tree, known[$0]) }
    let losers = fitting.filter { known[$0].lost != 0 }
    // Of several descriptions of one table the last one is the newest.
    var found: [Int: Layout] = [:]
    for layout in loose where fits(tree, layout) { found[layout.slot] = layout }
    if losers.count + found.count == 1 {
      if let index = losers.first {
        add(tree, new, toKnown: index, isOlder: isOlder)
      } else if let layout = found.values.first {
        add(tree, new, to: layout, isOlder: isOlder)
      }
    } else if losers.isEmpty, found.isEmpty, !fitting.isEmpty {
      // Earlier states of saved objects.
    } else if hasMissingTables, !isOlder {
      addNameless(tree, new)
    }
  }

  private func fits(_ tree: ClusterScan.Tree, _ layout: Layout) -> Bool {
    tree.clusters.allSatisfy { offset in
      guard let slots = clusters.clusters[offset]?.slots else { return false }
      return (0..<max(slots.count, layout.kinds.count)).allSatisfy { index in
        let slot = index < slots.count ? slots[index] : nil
        let kind = index < layout.kinds.count ? layout.kinds[index] : nil
        guard let kind else { return slot == nil }
        return slot?.contains(kind) ?? false
      }
    }
  }

  /// Adds objects to a table with a loss.
  private mutating func add(
    _ tree: ClusterScan.Tree, _ new: [Int], toKnown index: Int, isOlder: Bool
  ) {
    let layout = known[index]
    let position = tables.firstIndex { $0.slot == layout.slot } ?? tables.count
    if position == tables.count {
      tables.append(
        FoundTable(slot: layout.slot, key: layout.key, name: "", description: .own))
    }
    // Nothing of the table was saved: it is like a found one.
    if layout.lost == .max { return addPart(tree, new, to: position, isOlder: isOlder) }
    var base: UInt64 = 0
    if !tree.isInner {
      // Where the objects of a part have been is gone: without a primary key nothing says which of
      // them are there, so no more are added than are missing.
      let count = new.reduce(0) { $0 + (clusters.clusters[$1]?.count ?? 0) }
      let rest = layout.lost ?? 0
      guard layout.hasPrimaryKey || !isOlder && count <= rest else { return }
      known[index].lost = max(rest - count, 1)
      base = (nextBase[layout.slot] ?? 0) + 1 << 40
      nextBase[layout.slot] = base
    }
    tables[position].parts.append(
      DamagedTables.Part(root: Ref(tree.root), base: base, isFiller: true))
    new.forEach { take($0) }
  }

  /// Adds objects to a table whose description was found.
  private mutating func add(
    _ tree: ClusterScan.Tree, _ new: [Int], to layout: Layout, isOlder: Bool
  ) {
    let position = tables.firstIndex { $0.slot == layout.slot } ?? tables.count
    if position == tables.count {
      let name =
        layout.slot < names.count ? names[layout.slot] : RebuiltFile.madeUpName(layout.slot)
      tables.append(
        FoundTable(
          slot: layout.slot, key: layout.key, name: name, description: .spec(layout.spec),
          top: layout.top))
    }
    addPart(tree, new, to: position, isOlder: isOlder)
  }

  private mutating func addPart(
    _ tree: ClusterScan.Tree, _ new: [Int], to position: Int, isOlder: Bool
  ) {
    let slot = tables[position].slot
    let isOlder = isOlder && !tables[position].parts.isEmpty
    guard tree.isInner || !isOlder else { return }
    // Another state of the same tree has its keys; other parts come behind.
    let base = isOlder ? 0 : nextBase[slot] ?? 0
    // A part has no offset; a small tree alone is whole.
    if base > 0 || !tree.isInner && (isFound || tree.count == ClusterScan.countMax) {
      tables[position].hasCertainKeys = false
    }
    nextBase[slot] = max(nextBase[slot] ?? 0, (base + tree.lastKey + 256) & ~255)
    tables[position].parts.append(
      DamagedTables.Part(
        root: Ref(tree.root), base: base, isFiller: !tables[position].parts.isEmpty))
    new.forEach { take($0) }
  }

  // MARK: Tables without description

  private mutating func addNameless(_ tree: ClusterScan.Tree, _ new: [Int]) {
    var kinds: [LeafKinds?] = []
    for cluster in tree.clusters {
      guard let slots = clusters.clusters[cluster]?.slots else { continue }
      guard let merged = kinds.isEmpty ? slots : Self.merged(kinds, slots) else { return }
      kinds = merged
    }
    for (position, others) in nameless.sorted(by: { $0.key < $1.key }) {
      guard let merged = Self.merged(kinds, others) else { continue }
      nameless[position] = merged
      return addPart(tree, new, to: position, isOlder: false)
    }
    addPart(tree, new, to: makeNameless(kinds), isOlder: false)
  }

  /// - Returns: The position of a new table without description.
  private mutating func makeNameless(_ kinds: [LeafKinds?]) -> Int {
    let used = known.map(\.slot) + tables.map(\.slot) + loose.map(\.slot)
    let slot = max((used.max() ?? -1) + 1, names.count)
    tables.append(
      FoundTable(
        slot: slot, key: TableKey(UInt32(slot)), name: RebuiltFile.madeUpName(slot),
        description: .guessed([])))
    nameless[tables.count - 1] = kinds
    return tables.count - 1
  }

  // MARK: Leaves without clusters

  /// Adds objects whose clusters are lost.
  private mutating func addLooseLeaves(_ report: SalvageReport?) {
    let specs = (known + loose).map(\.spec)
    let others = taken.union(takenLeaves.map { Int($0) }).union(specs).union(clusters.clusters.keys)
    for group in LooseLeaves(scan, without: others).groups {
      // Of several descriptions of one table the last one is the newest.
      var fitting: [Int: Layout] = [:]
      for layout in known + loose where fits(group, layout) { fitting[layout.slot] = layout }
      guard fitting.count == 1, let layout = fitting.values.first else {
        addNameless(group)
        continue
      }
      let name = layout.slot < names.count ? names[layout.slot] : nil
      let saved = report?.classes.first { "class_" + $0.name == name }?.saved ?? 0
      // The saved objects are most likely later states of these.
      guard saved < group.objectCount else { continue }
      let position = tables.firstIndex { $0.slot == layout.slot } ?? tables.count
      if position == tables.count {
        let isKnown = known.contains { $0.slot == layout.slot }
        tables.append(
          FoundTable(
            slot: layout.slot, key: layout.key, name: name ?? RebuiltFile.madeUpName(layout.slot),
            description: isKnown ? .own : .spec(layout.spec), top: layout.top))
      }
      add(
        group, at: layout.kinds.indices.filter { layout.kinds[$0] != nil }, layout.kinds.count,
        to: position)
    }
  }

  /// Whether the columns of a group may be the first ones of a table of the program.
  private func fits(_ group: LooseLeaves.Group, _ layout: Layout) -> Bool {
    let kinds = layout.kinds.compactMap(\.self)
    let isClass = layout.slot >= names.count || names[layout.slot].hasPrefix("class_")
    return isClass && group.columns.count <= kinds.count
      && zip(group.columns, kinds).allSatisfy { $0.kinds.contains($1) }
  }

  private mutating func addNameless(_ group: LooseLeaves.Group) {
    var kinds: [LeafKinds?] = group.columns.map(\.kinds)
    let places = Array(kinds.indices)
    for (position, others) in nameless.sorted(by: { $0.key < $1.key }) {
      // A table whose last columns are lost here.
      kinds = group.columns.map(\.kinds) + others.dropFirst(group.columns.count)
      guard let merged = Self.merged(kinds, others) else { continue }
      nameless[position] = merged
      return add(group, at: places, others.count, to: position)
    }
    add(group, at: places, places.count, to: makeNameless(group.columns.map(\.kinds)))
  }

  /// Adds the clusters of a group to a table.
  ///
  /// - Parameters:
  ///   - places: Where the columns stand in a cluster.
  ///   - size: How many columns a cluster has.
  private mutating func add(
    _ group: LooseLeaves.Group, at places: [Int], _ size: Int, to position: Int
  ) {
    let slot = tables[position].slot
    var base = nextBase[slot] ?? 0
    for (index, count) in group.counts.enumerated() {
      var slots = [Int64](repeating: 0, count: size + 1)
      var lastKey = UInt64(count)
      slots[0] = Int64(count) << 1 | 1
      if !group.keys.isEmpty, let keys = scan.node(at: Int64(group.keys[index])) {
        slots[0] = Int64(keys.offset)
        lastKey = scan.unsignedElement(count - 1, of: keys)
      }
      for (column, place) in zip(group.columns, places) where index < column.leaves.count {
        slots[place + 1] = Int64(column.leaves[index])
      }
      // Keys without room for others belong to something else.
      guard lastKey < 1 << 48, base < 1 << 60 else { continue }
      tables[position].made.append(FoundTable.MadeCluster(slots: slots, base: base))
      base = (base + lastKey + 256) & ~255
    }
    nextBase[slot] = base
    tables[position].hasCertainKeys = false
  }

  /// The kinds of leaves of one column; nil if two have none in common.
  private static func merged(_ first: [LeafKinds?], _ second: [LeafKinds?]) -> [LeafKinds?]? {
    guard first.count == second.count else { return nil }
    var result: [LeafKinds?] = []
    for (one, other) in zip(first, second) {
      switch (one, other) {
      case (nil, nil): result.append(nil)
      case (let one?, let other?) where !one.isDisjoint(with: other):
        result.append(one.intersection(other))
      default: return nil
      }
    }
    return result
  }

  private mutating func describeNameless() {
    for (position, kinds) in nameless.sorted(by: { $0.key < $1.key }) {
      let columns = kinds.enumerated().compactMap { index, kinds in
        kinds.flatMap(Self.guess).map { type, isNullable in
          FoundTable.GuessedColumn(leafIndex: index, type: type, isNullable: isNullable)
        }
      }
      let table = tables[position]
      tables[position] = FoundTable(
        slot: table.slot, key: table.key, name: table.name, description: .guessed(columns),
        parts: table.parts, made: table.made, hasCertainKeys: false)
    }
    tables.removeAll {
      $0.description == .guessed([]) || $0.parts.isEmpty && $0.made.isEmpty
    }
  }

  /// The most likely type of a column; nil where nothing can be shown.
  private static func guess(_ kinds: LeafKinds) -> (ColumnType, isNullable: Bool)? {
    if kinds == .any { return nil }
    // A leaf with no other reading than a list, or links to an object, is none of these.
    let order: [(LeafKind, ColumnType)] = [
      (.timestamp, .timestamp), (.objectId, .objectId), (.uuid, .uuid), (.mixed, .mixed),
      (.string, .string), (.double, .double), (.float, .float), (.decimal, .decimal),
      (.nullableInt, .int), (.int, .int), (.binary, .binary),
    ]
    return order.first { kinds.contains($0.0) }.map { ($0.1, $0.0 != .int) }
  }
}
