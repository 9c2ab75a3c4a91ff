// SPDX-License-Identifier: Apache-2.0

// The possible kinds of a leaf of a column, by its bytes (file format 4.1).

import RealmStorage
import RealmTables

/// The kinds of leaf of a node.
struct LeafKinds: OptionSet {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ kinds: LeafKind...) {
    self = kinds.reduce(into: []) { $0.formUnion(LeafKinds(rawValue: 1 << UInt32($1.rawValue))) }
  }

  /// The kinds of a lost node.
  static let any = LeafKinds(rawValue: .max)

  func contains(_ kind: LeafKind) -> Bool { contains(LeafKinds(kind)) }
}

extension NodeScan {
  /// The kinds of leaf of `count` values that a slot of a cluster may lead to: nil for an empty
  /// slot, none if there is something else.
  func leafKinds(at slot: Int64, count: Int) -> LeafKinds? {
    guard slot != 0 else { return nil }
    guard slot > 0, slot.isMultiple(of: 2) else { return [] }
    guard let node = node(at: slot) else { return .any }
    guard !node.header.isInner else { return [] }
    return node.header.hasRefs ? kinds(of: node, count) : plainKinds(of: node, count)
  }

  /// The kinds of leaf without further nodes.
  private func plainKinds(of node: Found, _ count: Int) -> LeafKinds {
    let (size, width) = (node.header.count, node.header.width)
    switch node.header.layout {
    case .bits where !node.header.hasContext:
      if size == count {
        let isBool = width <= 2 && (0..<size).allSatisfy { element($0, of: node) != 2 }
        return isBool
          ? LeafKinds(.int, .link, .enumeratedString, .bool)
          : LeafKinds(.int, .link, .enumeratedString)
      }
      var kinds: LeafKinds = size == count + 1 ? LeafKinds(.nullableInt) : []
      if size == 2 * count { kinds.formUnion(LeafKinds(.typedLink)) }
      return kinds
    case .multiply where size == count:
      var kinds: LeafKinds = []
      if isShortTexts(node) { kinds.formUnion(LeafKinds(.string)) }
      if [0, 4, 8, 16].contains(width) { kinds.formUnion(LeafKinds(.decimal)) }
      if width == 4 { kinds.formUnion(LeafKinds(.float)) }
      if width == 8 { kinds.formUnion(LeafKinds(.double)) }
      return kinds
    case .multiply where width == 1 && size == 12 * count + (count + 7) / 8:
      return LeafKinds(.objectId)
    case .multiply where width == 1 && size == 16 * count + (count + 7) / 8:
      return LeafKinds(.uuid)
    default: return []
    }
  }

  /// The kinds of leaf whose node has refs.
  private func kinds(of node: Found, _ count: Int) -> LeafKinds {
    let size = node.header.count
    guard node.header.layout == .bits, size <= max(count, 6) else { return [] }
    let slots = (0..<size).map { element($0, of: node) }
    var kinds: LeafKinds = []
    if node.header.hasContext {
      guard size == count, slots.allSatisfy({ $0 == 0 || isBlob($0) }) else { return [] }
      let isTexts = slots.allSatisfy { isText(inBlob: $0) }
      return isTexts ? LeafKinds(.string, .binary) : LeafKinds(.binary)
    }
    if size == 2, isNumbers(slots[0], count + 1), isNumbers(slots[1], count) {
      kinds.formUnion(LeafKinds(.timestamp))
    }
    if size == 3, isNumbers(slots[0], count), isBlob(slots[1]), isNumbers(slots[2], count) {
      let isText = isTexts(ends: slots[0], slots[1], nulls: slots[2])
      kinds.formUnion(isText ? LeafKinds(.string, .binary) : LeafKinds(.binary))
    }
    if isMixed(node, count: count) { kinds.formUnion(LeafKinds(.mixed)) }
    if size == count {
      if slots.allSatisfy({ $0.isMultiple(of: 2) && $0 >= 0 }) {
        kinds.formUnion(LeafKinds(.collection))
      }
      if slots.allSatisfy({ !$0.isMultiple(of: 2) || $0 == 0 || isKeys($0) }) {
        kinds.formUnion(LeafKinds(.backlink))
      }
    }
    return kinds
  }

  // MARK: Parts of leaves

  /// Whether a slot leads to a plain node of that many numbers, or to a lost one.
  private func isNumbers(_ slot: Int64, _ count: Int) -> Bool {
    guard isRef(slot) else { return false }
    guard let node = node(at: slot) else { return true }
    return isPlainNumbers(node) && node.header.count == count
  }

  /// Whether a slot leads to the keys of linking objects, or to a lost node.
  private func isKeys(_ slot: Int64) -> Bool {
    guard isRef(slot) else { return false }
    guard let node = node(at: slot) else { return true }
    return node.header.isInner || isPlainNumbers(node)
  }

  private func isBlob(_ slot: Int64) -> Bool {
    guard isRef(slot) else { return false }
    guard let node = node(at: slot) else { return true }
    return node.header.layout == .bytes && !node.header.hasRefs && !node.header.isInner
  }

  func isRef(_ slot: Int64) -> Bool { slot > 0 && slot.isMultiple(of: 2) }

  /// Whether a node has other numbers than refs.
  func isPlainNumbers(_ node: Found) -> Bool {
    node.header.layout == .bits && !node.header.hasRefs && !node.header.isInner
      && !node.header.hasContext
  }

  /// Whether the cells of a node are short texts, or null.
  private func isShortTexts(_ node: Found) -> Bool {
    let width = node.header.width
    guard width > 0 else { return true }
    // Numbers that are all zero would be texts of zeros.
    let isZero = bytes[node.payload..<node.payload + node.header.count * width]
      .allSatisfy { $0 == 0 }
    guard width <= 16, width < 4 || !isZero else { return false }
    return (0..<node.header.count).allSatisfy { index in
      let start = node.payload + index * width
      let cell = bytes[start..<start + width]
      let padding = Int(bytes[start + width - 1])
      if padding == width { return cell.dropLast().allSatisfy { $0 == 0 } }
      guard padding < width else { return false }
      let text = cell.prefix(width - 1 - padding)
      return cell.dropFirst(text.count).dropLast().allSatisfy { $0 == 0 }
        && String(validating: text, as: UTF8.self) != nil
    }
  }

  /// Whether the values of a leaf of medium size are texts: each ends with a zero.
  private func isTexts(ends: Int64, _ blob: Int64, nulls: Int64) -> Bool {
    guard let ends = node(at: ends), let blob = node(at: blob), let nulls = node(at: nulls)
    else { return true }
    var start = 0
    for index in 0..<ends.header.count {
      let end = Int(element(index, of: ends))
      guard end >= start, end <= blob.header.count else { return false }
      defer { start = end }
      if element(index, of: nulls) != 0 { continue }
      guard end > start, bytes[blob.payload + end - 1] == 0 else { return false }
      let text = bytes[blob.payload + start..<blob.payload + end - 1]
      guard String(validating: text, as: UTF8.self) != nil else { return false }
    }
    return true
  }

  private func isText(inBlob slot: Int64) -> Bool {
    guard slot != 0, let blob = node(at: slot) else { return true }
    let content = bytes[blob.payload..<blob.payload + blob.header.count]
    return content.last == 0 && String(validating: content.dropLast(), as: UTF8.self) != nil
  }

  /// Whether a node is a leaf of mixed values (file format 4.9).
  ///
  /// - Parameter count: How many values there are; nil if unknown.
  func isMixed(_ node: Found, count: Int? = nil) -> Bool {
    guard node.header.count == 6 || node.header.count == 4,
      let values = self.node(at: element(0, of: node)), isPlainNumbers(values),
      count == nil || values.header.count == count
    else { return false }
    var used = [0, 0, 0, 0, 0]
    for index in 0..<values.header.count {
      let value = element(index, of: values)
      guard value != 0 else { continue }
      let (payload, type) = (Int(value >> 5 & 7), Int(value & 31) - 1)
      guard Self.payloads[type]?.contains(payload) ?? false else { return false }
      used[payload] += 1
    }
    return (1...3).allSatisfy { slot in
      guard let part = self.node(at: element(slot, of: node)) else { return used[slot] == 0 }
      // Texts of medium size have their count elsewhere.
      if slot == 3 { return used[slot] > 0 || part.header.count == 0 || part.header.hasRefs }
      return isPlainNumbers(part) && part.header.count == used[slot] * slot
    }
  }

  /// The slots in which a mixed leaf keeps values of a type; 0 for the value itself.
  private static let payloads: [Int: [Int]] = [
    0: [0, 1], 1: [0], 2: [3], 4: [3], 8: [2], 9: [1], 10: [1], 11: [2], 12: [1], 15: [3],
    16: [2], 17: [3], 19: [4], 21: [4],
  ]
}
