// SPDX-License-Identifier: Apache-2.0

// A damaged file with other roots: all its bytes, and behind them the missing nodes.

import RealmStorage
import RealmTables

/// The bytes of a file, opened at roots found among them.
struct RebuiltFile {
  private(set) var bytes: [UInt8]
  /// The found tables, with the places of the clusters made for them.
  private(set) var tables: [FoundTable]

  /// - Parameter tables: The tables without a description of their own, or without a root.
  init(_ scan: NodeScan, roots: NodeScan.Roots, tables found: [FoundTable] = []) {
    bytes = scan.bytes
    self.tables = found
    // Other bytes stand now in the place of those cut off: such a node is none.
    for offset in scan.cutNodes {
      for index in offset..<offset + 8 { bytes[index] = 0xFF }
    }
    while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
    if bytes.count < FileHeader.byteCount {
      bytes += Array(repeating: 0, count: FileHeader.byteCount - bytes.count)
    }
    var tables = roots.tables
    var names = roots.names.flatMap { scan.node(at: Int64($0)) }.flatMap(scan.texts) ?? []
    let isNamed = names.count == tables.count && found.isEmpty
    for index in found.indices { appendClusters(of: index) }
    for table in self.tables where table.description != .own {
      while tables.count <= table.slot { tables.append(0) }
      while names.count < tables.count { names.append(Self.madeUpName(names.count)) }
      tables[table.slot] = append(table, scan)
      names[table.slot] = table.name
    }
    while names.count < tables.count { names.append(Self.madeUpName(names.count)) }
    let namesRef = isNamed ? roots.names.map { Int64($0) } : nil
    setTop(namesRef ?? append(Array(names.prefix(tables.count))), append(tables, flags: .hasRefs))
  }

  /// The name of a table whose own is gone.
  static func madeUpName(_ slot: Int) -> String { "class_Unknown_\(slot)" }

  // MARK: Nodes

  private mutating func append(_ word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  private mutating func append(_ values: [Int64], flags: NodeFlags = []) -> Int64 {
    let offset = bytes.count
    append(NodeHeader(flags: flags, layout: .bits, widthCode: 7, count: values.count).bits)
    for value in values { append(UInt64(bitPattern: value)) }
    return Int64(offset)
  }

  private mutating func append(_ names: [String]) -> Int64 {
    let offset = bytes.count
    append(NodeHeader(flags: [], layout: .multiply, widthCode: 7, count: names.count).bits)
    for name in names {
      let name = Array(name.utf8.prefix(NameLeaf.maximumByteCount))
      let padding = NameLeaf.maximumByteCount - name.count
      bytes += name + Array(repeating: 0, count: padding) + [UInt8(padding)]
    }
    return Int64(offset)
  }

  private mutating func appendClusters(of index: Int) {
    for cluster in tables[index].made {
      let root = Ref(Int(append(cluster.slots, flags: .hasRefs)))
      let hasParts = tables[index].description == .own || !tables[index].parts.isEmpty
      tables[index].parts.append(
        DamagedTables.Part(root: root, base: cluster.base, isFiller: hasParts))
    }
  }

  /// A table's top array, and its description if made up.
  private mutating func append(_ table: FoundTable, _ scan: NodeScan) -> Int64 {
    var spec: Int64 = 0
    switch table.description {
    case .own: break
    case .spec(let offset): spec = Int64(offset)
    case .guessed(let columns):
      let keys = columns.map { $0.key(ofTable: table.key) }
      let types = append(columns.map { Int64($0.type.rawValue) })
      let names = append(columns.map(\.name))
      let attributes = append(columns.map { Int64($0.attributes.rawValue) })
      let list = append(keys.map(\.rawValue))
      spec = append([types, names, attributes, 0, 0, list], flags: .hasRefs)
    }
    var slots = [Int64](repeating: 0, count: TableSlot.count)
    slots[TableSlot.spec] = spec
    slots[TableSlot.clusters] = Int64(table.parts.first?.root.offset ?? 0)
    slots[TableSlot.key] = Tagged.slot(Int(table.key.rawValue))
    for index in [TableSlot.columnSequence, TableSlot.version, TableSlot.flags] {
      slots[index] = Tagged.slot(0)
    }
    if let top = table.top.flatMap({ scan.node(at: Int64($0)) }) {
      for index in [TableSlot.primaryKey, TableSlot.flags] where index < top.header.count {
        slots[index] = scan.element(index, of: top)
      }
      for index in [TableSlot.oppositeTables, TableSlot.oppositeColumns] {
        let slot = scan.element(index, of: top)
        if scan.node(at: slot).map(scan.isPlainNumbers) ?? false { slots[index] = slot }
      }
    }
    return append(slots, flags: .hasRefs)
  }

  /// Makes a version of these roots, and a header to select it.
  private mutating func setTop(_ names: Int64, _ tables: Int64) {
    // Everything lies below the end of the file, which is where this node ends.
    let end = bytes.count + NodeHeader.byteCount + 3 * 8
    let top = append([names, tables, Tagged.slot(end)], flags: .hasRefs)
    var header = Array(repeating: UInt8(0), count: FileHeader.byteCount)
    for index in 0..<8 { header[index] = UInt8(truncatingIfNeeded: top >> Int64(index * 8)) }
    header.replaceSubrange(16..<20, with: NodeScan.mnemonic)
    header[20] = UInt8(FileHeader.supportedVersion)
    bytes.replaceSubrange(0..<FileHeader.byteCount, with: header)
  }
}
