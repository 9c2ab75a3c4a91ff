// SPDX-License-Identifier: Apache-2.0

// Texts without case, without marks, or both, made where no memory is asked for: most scalars come
// out of a table, and what is short enough is put together on the stack.

import RealmStorage
@_spi(_Unicode) import Swift

/// Folding for comparisons that do not regard case or marks.
enum FoldedText {
  /// Calls `body` with the folded text.
  static func withFolded<R>(
    _ text: ByteView, _ options: TextOptions, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let bytes = unsafe text.bytes
    // No scalar grows to more than three times its length by losing its marks, nor to more than one
    // and a half times by losing its case.
    return unsafe withUnsafeTemporaryAllocation(byteCount: bytes.count &* 5 &+ 16, alignment: 1) {
      buffer in
      let count = unsafe fold(bytes, options, into: buffer)
      return unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Writes the folded text into a buffer of five times its length, and gives its length there.
  private static func fold(
    _ bytes: UnsafeRawBufferPointer, _ options: TextOptions,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let table = FoldingTable.of(options)
    var position = 0
    var count = 0
    while position < bytes.count {
      let first = unsafe bytes[position]
      if first < 0x80 {
        unsafe buffer[count] = table.folded(ascii: first)
        count &+= 1
        position &+= 1
        continue
      }
      let scalar = unsafe decode(bytes, &position)
      let folded = table.folded(scalar)
      if folded == FoldingTable.several {
        for part in FoldingTable.parts(of: scalar, options) {
          unsafe encode(part.value, into: buffer, &count)
        }
      } else if folded != FoldingTable.nothing {
        unsafe encode(folded, into: buffer, &count)
      }
    }
    return count
  }

  /// The scalar at a position, which moves past it; what is no UTF-8 is replaced byte by byte.
  private static func decode(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
    let replacement: UInt32 = 0xFFFD
    let first = unsafe UInt32(bytes[position])
    position &+= 1
    let length = first < 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 0
    guard length > 0, position &+ length <= bytes.count else { return replacement }
    var scalar = first & (0x3F &>> UInt32(length))
    for index in position..<position &+ length {
      guard unsafe bytes[index] & 0xC0 == 0x80 else { return replacement }
      scalar = unsafe scalar &<< 6 | UInt32(bytes[index] & 0x3F)
    }
    let least: UInt32 = length == 1 ? 0x80 : length == 2 ? 0x800 : 0x10000
    guard scalar >= least, Unicode.Scalar(scalar) != nil else { return replacement }
    position &+= length
    return scalar
  }

  private static func encode(
    _ scalar: UInt32, into buffer: UnsafeMutableRawBufferPointer, _ count: inout Int
  ) {
    func put(_ bits: UInt32) {
      unsafe buffer[count] = UInt8(truncatingIfNeeded: bits)
      count &+= 1
    }
    switch scalar {
    case ..<0x80: put(scalar)
    case ..<0x800: put(0xC0 | scalar &>> 6)
    case ..<0x10000:
      put(0xE0 | scalar &>> 12)
      put(0x80 | scalar &>> 6 & 0x3F)
    default:
      put(0xF0 | scalar &>> 18)
      put(0x80 | scalar &>> 12 & 0x3F)
      put(0x80 | scalar &>> 6 & 0x3F)
    }
    if scalar >= 0x80 { put(0x80 | scalar & 0x3F) }
  }
}

/// The folded forms of the scalars of the common alphabets.
struct FoldingTable: Sendable {
  /// The scalar vanishes.
  static let nothing: UInt32 = .max
  /// The scalar becomes more than one, or is in no table.
  static let several: UInt32 = .max - 1

  private let options: TextOptions
  /// From the first scalar to the Arabic ones.
  private let low: [UInt32]
  /// The Latin and Greek letters with several marks.
  private let high: [UInt32]
  private static let lowCount: UInt32 = 0x600
  private static let highRange: Range<UInt32> = 0x1E00..<0x2000

  private init(_ options: TextOptions) {
    self.options = options
    low = (0..<FoldingTable.lowCount).map { FoldingTable.entry(for: $0, options) }
    high = FoldingTable.highRange.map { FoldingTable.entry(for: $0, options) }
  }

  private static let withoutCase = FoldingTable(.caseInsensitive)
  private static let withoutMarks = FoldingTable(.diacriticInsensitive)
  private static let withoutBoth = FoldingTable([.caseInsensitive, .diacriticInsensitive])

  static func of(_ options: TextOptions) -> FoldingTable {
    switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
    case (true, true): withoutBoth
    case (true, false): withoutCase
    default: withoutMarks
    }
  }

  func folded(ascii byte: UInt8) -> UInt8 {
    options.contains(.caseInsensitive) && byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  func folded(_ scalar: UInt32) -> UInt32 {
    if scalar < FoldingTable.lowCount { return low[Int(scalar)] }
    if FoldingTable.highRange.contains(scalar) {
      return high[Int(scalar &- FoldingTable.highRange.lowerBound)]
    }
    // Ideographs and symbols have neither case nor marks.
    if (0x3100..<0xA000).contains(scalar) || (0x1F000..<0x30000).contains(scalar) { return scalar }
    return FoldingTable.several
  }

  private static func entry(for scalar: UInt32, _ options: TextOptions) -> UInt32 {
    let parts = parts(of: scalar, options)
    return parts.isEmpty ? nothing : parts.count == 1 ? parts[0].value : several
  }

  static func parts(of scalar: UInt32, _ options: TextOptions) -> [Unicode.Scalar] {
    guard let scalar = Unicode.Scalar(scalar) else { return [] }
    var parts = [scalar]
    if options.contains(.diacriticInsensitive) {
      parts = String(scalar)._nfd.filter { $0.properties.generalCategory != .nonspacingMark }
    }
    if options.contains(.caseInsensitive) {
      parts = parts.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
    }
    return parts
  }
}
