// SPDX-License-Identifier: Apache-2.0

// The nodes of a file whose roots are gone, found by their headers (file format 1.3).

import Foundation
import RealmStorage
import RealmTables

/// All bytes of a damaged file, and the nodes among them.
///
/// What looks like a node may be data, or a node that is not used any more: who reads on from one
/// must expect anything.
struct NodeScan {
  /// A node.
  struct Found {
    let header: NodeHeader
    let offset: Int

    var payload: Int { offset + NodeHeader.byteCount }
    fileprivate var end: Int { payload + (header.payloadByteCount + 7) & ~7 }
  }

  /// The roots of a version: the names of the tables, and the tables.
  struct Roots {
    /// Nil where the names are gone.
    let names: Int?
    let tables: [Int64]
    let version: Int64
  }

  let bytes: [UInt8]
  /// Where nodes begin, in the order of the file.
  private(set) var offsets: [Int] = []
  /// The nodes whose last bytes are behind the end of the file.
  private(set) var cutNodes: [Int] = []

  init(path: String) throws(StorageError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .system(operation: "Reading", path: path, code: EIO)
    }
    bytes = Array(data)
    findNodes()
  }

  /// Finds the nodes whose checksums match, and what looks like nodes without.
  ///
  /// Where a checksum matches, all bytes belong to that node: none of them is looked at again, so
  /// the search takes as long as the file is long. Large nodes that do not match share a budget.
  private mutating func findNodes() {
    var budget = 4 * bytes.count + (64 << 20)
    // What is cut, if it has a checksum, and nothing whole behind it.
    var cut: [Int] = []
    var offset = FileHeader.byteCount
    while offset <= bytes.count - 8 {
      defer { offset += 8 }
      guard bytes[offset + 3] == 0x41 else { continue }
      let found = Found(header: NodeHeader(bits: word(offset)), offset: offset)
      guard found.header.layout != nil else { continue }
      let isPlain = bytes[offset..<offset + 3].allSatisfy { $0 == 0x41 }
      guard isPlain || Self.isPlausible(found.header) else { continue }
      guard found.end <= bytes.count else {
        if isPlain { cutNodes.append(offset) } else { cut.append(offset) }
        continue
      }
      if isPlain {
        offsets.append(offset)
        continue
      }
      if found.header.nodeByteCount > Self.smallByteCount {
        budget -= found.header.nodeByteCount
        guard budget >= 0 else { continue }
      }
      guard checksum(of: found) == .matching else { continue }
      offsets.append(offset)
      cut = []
      offset = found.end - 8
    }
    cutNodes += cut
  }

  /// Up to so many bytes, a node is small.
  private static let smallByteCount = 16 << 10

  /// Whether a header may be that of a node; the first bytes of most texts are none.
  private static func isPlausible(_ header: NodeHeader) -> Bool {
    if header.hasRefs { return header.layout == .bits && header.count <= 1 << 17 }
    if header.isInner { return false }
    return header.layout != .bytes || header.widthCode <= 1
  }

  private func checksum(of node: Found) -> NodeChecksum.State {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return .missing }
      return unsafe NodeChecksum.state(of: start + node.offset, node.header, at: node.offset)
    }
  }

  /// The format that the header names; nil if there is no header.
  var format: Int? {
    guard bytes.count >= FileHeader.byteCount, Array(bytes[16..<20]) == Self.mnemonic else {
      return nil
    }
    let format = Int(bytes[bytes[23] & 1 == 0 ? 20 : 21])
    return format == 0 ? nil : format
  }

  static let mnemonic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]

  private func word(_ offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The most elements of a node that has no bits for them: a table has at most as many columns,
  /// and leaves have fewer values. The eight bytes of a header could claim sixteen million.
  static let bitlessCountMax = 0xFFFF

  /// The node at a place; nil if there is none.
  func node(at offset: Int64) -> Found? {
    guard offset >= FileHeader.byteCount, offset.isMultiple(of: 8), offset + 8 <= bytes.count else {
      return nil
    }
    let found = Found(header: NodeHeader(bits: word(Int(offset))), offset: Int(offset))
    guard bytes[Int(offset) + 3] == 0x41, found.header.layout != nil, found.end <= bytes.count,
      found.header.payloadByteCount > 0 || found.header.count <= Self.bitlessCountMax
    else { return nil }
    return found
  }

  func element(_ index: Int, of node: Found) -> Int64 {
    let width = node.header.width
    guard index < node.header.count, width > 0 else { return 0 }
    let bit = index * width
    let start = node.payload + bit / 8
    if width < 8 {
      return Int64(bytes[start] >> UInt8(bit % 8)) & (1 << Int64(width) - 1)
    }
    let value = bytes[start..<start + width / 8].reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    let shift = 64 - width
    return Int64(bitPattern: value << UInt64(shift)) >> Int64(shift)
  }

  /// An element of a node of keys, which have no sign.
  func unsignedElement(_ index: Int, of node: Found) -> UInt64 {
    let value = UInt64(bitPattern: element(index, of: node))
    return node.header.width < 64 ? value & (1 << UInt64(node.header.width) - 1) : value
  }

  /// The node that an element refers to; nil if it is no ref to one.
  func child(_ index: Int, of node: Found) -> Found? {
    let value = element(index, of: node)
    return value > 0 && value.isMultiple(of: 2) ? self.node(at: value) : nil
  }

  func isNumbers(_ node: Found) -> Bool { node.header.layout == .bits }

  /// The texts of a node of names; nil if it is none. No name is empty.
  func texts(_ node: Found) -> [String]? {
    let width = node.header.width
    guard node.header.layout == .multiply, !node.header.hasRefs, width <= 64,
      width > 0 || node.header.count == 0
    else { return nil }
    var result: [String] = []
    for index in 0..<node.header.count {
      let cell = bytes[(node.payload + index * width)..<(node.payload + (index + 1) * width)]
      guard let padding = cell.last, Int(padding) < width else { return nil }
      guard let text = String(bytes: cell.prefix(width - 1 - Int(padding)), encoding: .utf8)
      else { return nil }
      result.append(text)
    }
    return result
  }

  // MARK: Roots

  /// The roots of the versions that can still be found, the newest first.
  func roots() -> [Roots] {
    var found: [Roots] = []
    for offset in offsets {
      guard let top = node(at: Int64(offset)), top.header.hasRefs, !top.header.isInner,
        isNumbers(top), (3...16).contains(top.header.count), let names = child(0, of: top),
        let tables = child(1, of: top), tables.header.hasRefs, isNumbers(tables),
        element(2, of: top) & 1 == 1, let texts = texts(names),
        texts.contains(where: { $0.hasPrefix("class_") })
      else { continue }
      let refs = (0..<tables.header.count).map { element($0, of: tables) }
      guard refs.contains(where: { isTable($0) }) else { continue }
      let version = top.header.count > 6 ? element(6, of: top) >> 1 : 0
      found.append(Roots(names: names.offset, tables: refs, version: version))
    }
    return found.sorted { $0.version > $1.version }
  }

  /// Whether a ref leads to a table whose properties can be read.
  func isTable(_ ref: Int64) -> Bool {
    guard ref > 0, ref.isMultiple(of: 2), let top = node(at: ref) else { return false }
    return isTable(top)
  }

  private func isTable(_ top: Found) -> Bool {
    guard top.header.hasRefs, !top.header.isInner, isNumbers(top),
      (TableSlot.columnSequence...20).contains(top.header.count),
      let spec = child(TableSlot.spec, of: top), isSpec(spec),
      element(TableSlot.key, of: top) & 1 == 1
    else { return false }
    return child(TableSlot.clusters, of: top)?.header.hasRefs ?? false
  }

  /// Whether a node describes the columns of a table.
  func isSpec(_ spec: Found) -> Bool {
    guard spec.header.hasRefs, !spec.header.isInner, isNumbers(spec),
      (SpecSlot.count...20).contains(spec.header.count),
      let types = child(SpecSlot.types, of: spec), isPlainNumbers(types),
      let names = child(SpecSlot.names, of: spec), let texts = texts(names),
      texts.count <= types.header.count, let keys = child(SpecSlot.keys, of: spec),
      isPlainNumbers(keys), keys.header.count == types.header.count
    else { return false }
    return (0..<keys.header.count).allSatisfy { index in
      let key = ColumnKey(element(index, of: keys))
      return key.type != nil && key.attributes.collection != nil && key.rawValue >= 0
    }
  }

  /// The tables that can still be found although no version names them: the newest of each key.
  func looseTables() -> Roots? {
    var newest: [Int: (version: Int64, offset: Int)] = [:]
    for offset in offsets {
      guard let top = node(at: Int64(offset)), isTable(top) else { continue }
      // The low half of a table's key is its place among the tables.
      let place = Int(element(TableSlot.key, of: top) >> 1 & 0xFFFF)
      let version = element(TableSlot.version, of: top) >> 1
      if newest[place].map({ $0.version <= version }) ?? true { newest[place] = (version, offset) }
    }
    guard let last = newest.keys.max() else { return nil }
    let names = longestNames()
    return Roots(
      names: names.flatMap { $0.count > last ? $0.offset : nil },
      tables: (0...last).map { newest[$0].map { Int64($0.offset) } ?? 0 }, version: 0)
  }

  /// The list with most names of tables: names are only added, so it is the newest.
  func longestNames() -> (offset: Int, count: Int)? {
    let lists = offsets.compactMap { offset -> (offset: Int, count: Int)? in
      guard let node = node(at: Int64(offset)), let texts = texts(node),
        texts.contains(where: { $0.hasPrefix("class_") })
      else { return nil }
      return (offset, texts.count)
    }
    return lists.max { $0.count < $1.count }
  }
}
