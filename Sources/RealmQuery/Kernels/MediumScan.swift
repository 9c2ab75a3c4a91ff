// SPDX-License-Identifier: Apache-2.0

// Equality over the form of byte leaves in which all values share one blob.

import RealmStorage

/// Finds values of one length in a shared blob: lengths first, then eight bytes at once.
enum MediumScan {
  /// Bit i says whether value i has these bytes; null values may be reported too.
  ///
  /// - Safety: `offsets` holds `count` packed integers.
  static func mask(
    _ offsets: Node, _ blob: Node, count: Int, equalTo value: ByteView, terminator: Int
  ) throws(StorageError) -> LeafMask {
    let byteCount = value.count &+ terminator
    guard byteCount <= blob.count else { return .none }
    // One check for the whole leaf instead of one for each value: only the last end bounds the
    // blob, and what lies between is checked to ascend as it is used.
    let scan = unsafe Scan(
      blob: blob.payload, blobCount: blob.count, value: value, terminator: terminator)
    return switch offsets.header.widthCode {
    case 4: try unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int8) }
    case 5: try unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int16) }
    case 6: try unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int32) }
    default:
      try unsafe scan.run(offsets.payload, count) {
        unsafe Int(PackedIntegers.load($0, widthCode: offsets.header.widthCode, at: $1))
      }
    }
  }

  /// Bit i says whether the first eight bytes of value i, as a big-endian number, lie in a range,
  /// or may do: values whose bytes cannot be read whole are reported too.
  ///
  /// - Safety: as for the other.
  static func mask(
    _ offsets: Node, _ blob: Node, count: Int, headsIn heads: ClosedRange<UInt64>, terminator: Int
  ) -> LeafMask {
    let scan = unsafe HeadScan(
      blob: blob.payload, lastStart: blob.count &- 8 &- terminator, heads: heads,
      terminator: terminator)
    return switch offsets.header.widthCode {
    case 4: unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int8) }
    case 5: unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int16) }
    case 6: unsafe scan.run(offsets.payload, count) { unsafe Int($0[$1] as Int32) }
    default:
      unsafe scan.run(offsets.payload, count) {
        unsafe Int(PackedIntegers.load($0, widthCode: offsets.header.widthCode, at: $1))
      }
    }
  }

  /// Calls `body` with each value's index, where it begins in the blob and where it ends.
  ///
  /// Neither is checked. To be inlined, so that each width has a loop of its own.
  ///
  /// - Safety: `offsets` holds `count` packed integers.
  @inline(__always)
  static func forEach(
    _ offsets: Node, count: Int, _ body: (Int, Int, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let ends = unsafe offsets.payload
    var start = 0
    switch offsets.header.widthCode {
    case 5:
      for index in 0..<count {
        let end = unsafe Int(ends[index] as Int16)
        try body(index, start, end)
        start = end
      }
    case 6:
      for index in 0..<count {
        let end = unsafe Int(ends[index] as Int32)
        try body(index, start, end)
        start = end
      }
    default:
      for index in 0..<count {
        let end = Int(offsets.uncheckedInteger(at: index))
        try body(index, start, end)
        start = end
      }
    }
  }

  @safe
  private struct HeadScan {
    let blob: UnsafeRawPointer
    /// The last position at which eight bytes of a value can begin.
    let lastStart: Int
    let heads: ClosedRange<UInt64>
    let terminator: Int

    @inline(__always)
    func run(
      _ offsets: UnsafeRawPointer, _ count: Int, _ end: (UnsafeRawPointer, Int) -> Int
    ) -> LeafMask {
      let span = heads.upperBound &- heads.lowerBound
      var mask = LeafMask.none
      var start = 0
      for index in 0..<count {
        let stop = unsafe end(offsets, index)
        defer { start = stop }
        // A value that is out of bounds is read, and reported, when the row itself is.
        guard stop &- start >= 8 &+ terminator, start >= 0, start <= lastStart else {
          mask.insert(index)
          continue
        }
        let head = unsafe UInt64(bigEndian: (blob + start).loadUnaligned(as: UInt64.self))
        if head &- heads.lowerBound <= span { mask.insert(index) }
      }
      return mask
    }
  }

  @safe
  private struct Scan {
    let blob: UnsafeRawPointer
    let blobCount: Int
    let value: ByteView
    let terminator: Int

    /// - Parameter end: the end of a value in the blob; inlined for each width.
    @inline(__always)
    func run(
      _ offsets: UnsafeRawPointer, _ count: Int,
      _ end: (UnsafeRawPointer, Int) -> Int
    ) throws(StorageError) -> LeafMask {
      var mask = LeafMask.none
      let length = value.count
      let wanted = length &+ terminator
      let pattern = unsafe value.bytes.baseAddress
      let head: UInt64 =
        if length >= 8, let pattern = unsafe pattern {
          unsafe pattern.loadUnaligned(as: UInt64.self)
        } else { 0 }
      var start = 0
      for index in 0..<count {
        let stop = unsafe end(offsets, index)
        if stop &- start == wanted {
          guard start >= 0, stop <= blobCount else { throw .offsetsOutOfOrder() }
          if unsafe length < 8 || (blob + start).loadUnaligned(as: UInt64.self) == head {
            if unsafe ByteView(start: blob + start, count: length) == value { mask.insert(index) }
          }
        }
        start = stop
      }
      return mask
    }
  }
}

extension UnsafeRawPointer {
  /// Element `index` of an array of `T` that begins here.
  @inline(__always)
  fileprivate subscript<T: FixedWidthInteger & BitwiseCopyable>(index: Int) -> T {
    unsafe loadUnaligned(fromByteOffset: index &* MemoryLayout<T>.size, as: T.self)
  }
}
