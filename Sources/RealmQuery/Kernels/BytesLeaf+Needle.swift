// SPDX-License-Identifier: Apache-2.0

// Looking for a text of ASCII in all values of a leaf, without regard to case: vectors for what is
// ASCII, and the exact way for the values that are not.

import RealmStorage

extension BytesLeaf {
  /// The rows of `rows`, all below `count`, whose value has a text somewhere.
  ///
  /// - Parameters:
  ///   - needle: The text; nil for one that no value of ASCII has.
  ///   - isExact: Tests a value with other characters.
  func mask(
    of needle: ASCIINeedle?, _ place: NeedlePlace, count: Int, rows: LeafMask,
    _ isExact: (ByteView) -> Bool
  ) throws(StorageError) -> LeafMask {
    let isASCII: Bool
    var found = LeafMask.none
    switch form {
    case .allNull: return .none
    case .short(let cells, let width):
      // The byte that says how long a value is, at the end of its cell, is at most 16.
      isASCII = unsafe ByteView(start: cells, count: count &* width).isASCII
      if let needle { found = unsafe short(cells, width, needle, place, count) & rows }
    case .medium(let offsets, let blob, let nulls):
      isASCII = unsafe ByteView(start: blob.payload, count: blob.count).isASCII
      if let needle {
        found = try medium(offsets, blob, needle, place, count) & rows
        if nulls.header.widthCode != 0, !found.isEmpty {
          found = found - PackedRange.nonzero(nulls, count: count)
        }
      }
    case .big: isASCII = false
    }
    if isASCII { return found }
    for row in rows {
      guard let bytes = try bytes(at: row) else { continue }
      if !bytes.isASCII {
        found = isExact(bytes) ? found | LeafMask(row: row) : found - LeafMask(row: row)
      } else if case .big = form, let needle, needle.matches(bytes, place) {
        found.insert(row)
      }
    }
    return found
  }

  private func short(
    _ cells: UnsafeRawPointer, _ width: Int, _ needle: ASCIINeedle, _ place: NeedlePlace,
    _ count: Int
  ) -> LeafMask {
    var found = LeafMask.none
    // A longer text fits no cell.
    guard needle.count < width else { return .none }
    if place == .anywhere {
      // A position counts if the value that begins in the same cell reaches as far.
      unsafe SubstringScan.forEach(needle, in: cells, count: count &* width) { start in
        let row = start / width
        let padding = unsafe Int(
          cells.load(fromByteOffset: row &* width &+ width &- 1, as: UInt8.self))
        if start &+ needle.count <= row &* width &+ width &- 1 &- padding { found.insert(row) }
        return true
      }
      return found
    }
    if needle.count == 0, place != .whole { return .none }
    for row in 0..<count {
      let cell = unsafe cells + row &* width
      let surplus =
        unsafe width &- 1 &- needle.count
        &- Int(cell.load(fromByteOffset: width &- 1, as: UInt8.self))
      // Null counts one byte less than nothing.
      guard place == .whole ? surplus == 0 : surplus >= 0 else { continue }
      if unsafe needle.stands(at: place == .end ? cell + surplus : cell) { found.insert(row) }
    }
    return found
  }

  private func medium(
    _ offsets: Node, _ blob: Node, _ needle: ASCIINeedle, _ place: NeedlePlace, _ count: Int
  ) throws(StorageError) -> LeafMask {
    var found = LeafMask.none
    if place == .anywhere {
      // A position counts if the value that it is in reaches as far.
      var row = 0
      var end = count > 0 ? Int(offsets.uncheckedInteger(at: 0)) : 0
      unsafe SubstringScan.forEach(needle, in: blob.payload, count: blob.count) { start in
        while end <= start, row &+ 1 < count {
          row &+= 1
          end = Int(offsets.uncheckedInteger(at: row))
        }
        if start < end, start &+ needle.count <= end &- terminator { found.insert(row) }
        return true
      }
      return found
    }
    if needle.count == 0, place != .whole { return .none }
    let wanted = needle.count &+ terminator
    let start = unsafe blob.payload
    try MediumScan.forEach(offsets, count: count) { (row, first, end) throws(StorageError) in
      let surplus = end &- first &- wanted
      guard place == .whole ? surplus == 0 : surplus >= 0 else { return }
      guard first >= 0, end <= blob.count else { throw .offsetsOutOfOrder() }
      let text = unsafe start + (place == .end ? first &+ surplus : first)
      if unsafe needle.stands(at: text) { found.insert(row) }
    }
    return found
  }
}
