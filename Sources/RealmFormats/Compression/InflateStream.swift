// SPDX-License-Identifier: Apache-2.0

// Reads DEFLATE data of any length with a bounded memory.

/// Decompresses DEFLATE blocks (RFC 1951) part by part.
///
/// Invariants:
/// 1. Any input gives the output or an error, and the memory is that of the window, of a part and
///    of a block of the input.
/// 2. Nothing is loaded from beyond the input before the input has ended.
struct InflateStream {
  private enum State {
    case header
    case stored(count: Int)
    case compressed
    case end
  }

  private static let windowByteCount = 1 << 15
  private static let partByteCount = 1 << 16
  private static let matchByteCountMax = 258
  /// More than a header of a block with its codes has.
  private static let headerByteCountMax = 1 << 10
  /// More than a length and a distance have.
  private static let symbolByteCountMax = 16

  private let source: () -> [UInt8]
  private(set) var reader = BitReader(bytes: [], position: 0)
  private var hasEnded = false
  /// The bytes that the source gave.
  private(set) var inputByteCount = 0
  private var codes = DeflateCodes()
  private var state = State.end
  private var isLastBlock = true
  /// The last output, with the window for matches.
  private var output = [UInt8](
    repeating: 0, count: windowByteCount + partByteCount + matchByteCountMax)
  /// The end of what is in it.
  private var written = 0

  /// - Parameter source: The next bytes of the input; none at its end.
  init(source: @escaping () -> [UInt8]) { self.source = source }

  /// Whether the last block is read.
  var isComplete: Bool { if case .end = state { true } else { false } }

  /// Begins with the first block of other data.
  mutating func begin() {
    state = .header
    written = 0
  }

  // MARK: Input

  /// Sees to it that a number of bytes can be loaded, unless the input ends before.
  @inline(__always)
  private mutating func prepare(_ count: Int) {
    if reader.unreadCount < count, !hasEnded { readMore(count) }
  }

  private mutating func readMore(_ count: Int) {
    while reader.unreadCount < count {
      let bytes = source()
      guard !bytes.isEmpty else {
        hasEnded = true
        return
      }
      inputByteCount += bytes.count
      reader.append(bytes)
    }
  }

  /// The next bytes of the input outside of blocks; nil if there are fewer.
  mutating func bytes(_ count: Int) throws(CompressionError) -> [UInt8]? {
    let start = try reader.alignToByte()
    reader.move(to: start)
    prepare(count)
    guard reader.unreadCount >= count else { return nil }
    return Array(reader.takeBytes(count))
  }

  // MARK: Output

  /// The next part of the output; none at the end of the last block.
  mutating func next() throws(CompressionError) -> [UInt8] {
    keepWindow()
    let start = written
    while written - start < Self.partByteCount, !isComplete {
      switch state {
      case .header: try header()
      case .stored(let count): try stored(count, upTo: start + Self.partByteCount)
      case .compressed: try compressed(upTo: start + Self.partByteCount)
      case .end: break
      }
    }
    return Array(output[start..<written])
  }

  private mutating func keepWindow() {
    guard written > Self.windowByteCount else { return }
    let start = written - Self.windowByteCount
    for index in 0..<Self.windowByteCount { output[index] = output[start + index] }
    written = Self.windowByteCount
  }

  private mutating func header() throws(CompressionError) {
    prepare(Self.headerByteCountMax)
    isLastBlock = try reader.number(1) == 1
    switch try reader.number(2) {
    case 0:
      let start = try reader.alignToByte()
      reader.move(to: start)
      guard reader.unreadCount >= 4 else { throw .truncated }
      let size = Array(reader.takeBytes(4)).map { Int($0) }
      let count = size[0] | size[1] << 8
      guard count ^ 0xFFFF == size[2] | size[3] << 8 else { throw .badStoredSize }
      state = .stored(count: count)
      if count == 0 { endBlock() }
    case 1:
      codes = try DeflateCodes.fixed.get()
      state = .compressed
    case 2:
      try codes.read(from: &reader)
      state = .compressed
    default: throw .badBlockType
    }
  }

  private mutating func endBlock() { state = isLastBlock ? .end : .header }

  private mutating func stored(_ count: Int, upTo end: Int) throws(CompressionError) {
    prepare(1)
    let size = min(count, end - written, reader.unreadCount)
    guard size > 0 else { throw .truncated }
    for byte in reader.takeBytes(size) {
      output[written] = byte
      written += 1
    }
    state = .stored(count: count - size)
    if count == size { endBlock() }
  }

  private mutating func compressed(upTo end: Int) throws(CompressionError) {
    while written < end {
      prepare(Self.symbolByteCountMax)
      reader.refill()
      let entry = try codes.literals.next(&reader)
      switch entry & HuffmanDecoder.kindMask {
      case HuffmanDecoder.literal:
        output[written] = UInt8(truncatingIfNeeded: entry >> 16)
        written &+= 1
      case HuffmanDecoder.base:
        let length = reader.value(of: entry)
        let distanceEntry = try codes.distances.next(&reader)
        guard distanceEntry & HuffmanDecoder.kindMask == HuffmanDecoder.base else {
          throw .badCode
        }
        let distance = reader.value(of: distanceEntry)
        guard distance <= written else { throw .badDistance }
        for _ in 0..<length {
          output[written] = output[written &- distance]
          written &+= 1
        }
      case HuffmanDecoder.endOfBlock:
        guard !reader.isOverrun else { throw .truncated }
        return endBlock()
      default: throw .badCode
      }
      guard !reader.isOverrun else { throw .truncated }
    }
  }
}
