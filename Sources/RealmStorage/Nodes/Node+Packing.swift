// SPDX-License-Identifier: Apache-2.0

// All elements of a node at once: loops over one width each, which the compiler can vectorise.

extension Node {
  /// The slots from `start` on hold numbers, none refs, for which `widthCode` is wide enough.
  struct Numbers {
    var start: Int
    var widthCode: Int
  }

  /// The end of a has-refs node that holds nothing but numbers.
  ///
  /// Leaves of search indexes have one ref and many numbers: where all slots but the first hold
  /// numbers in 64 bits, one pass says so, else none are reported.
  var numbersAtEnd: Numbers {
    guard header.widthCode == 7, count > 8 else { return Numbers(start: count, widthCode: 0) }
    var common = -1
    var magnitude: Int64 = 0
    var sign: Int64 = 0
    for index in 1..<count {
      let slot = unsafe payload.load(fromByteOffset: index &<< 3, as: Int64.self)
      common &= Int(slot)
      magnitude |= slot ^ (slot &>> 63)
      sign |= slot
    }
    guard common & 1 == 1 else { return Numbers(start: count, widthCode: 0) }
    let code = PackedIntegers.widthCode(for: sign < 0 ? ~magnitude : magnitude)
    return Numbers(start: 1, widthCode: code)
  }

  /// Stores all elements, which are packed integers, with another width that they fit.
  ///
  /// The target may be the node's own payload if the width is not larger.
  func pack(to target: UnsafeMutableRawPointer, widthCode: Int) {
    switch (header.widthCode, widthCode) {
    case (7, 6): unsafe pack(to: target, from: Int64.self, as: Int32.self)
    case (7, 5): unsafe pack(to: target, from: Int64.self, as: Int16.self)
    case (7, 7): unsafe target.copyMemory(from: payload, byteCount: count &* 8)
    case (6, 7): unsafe pack(to: target, from: Int32.self, as: Int64.self)
    case (5, 7): unsafe pack(to: target, from: Int16.self, as: Int64.self)
    default:
      for index in 0..<count {
        unsafe PackedIntegers.store(
          uncheckedInteger(at: index), to: target, widthCode: widthCode, at: index)
      }
    }
  }

  /// Stores some elements, which are packed integers, with 64 bits each.
  ///
  /// - Safety: the range lies within `count`, and the target has room for it.
  package func unpack(_ range: Range<Int>, to target: UnsafeMutableRawPointer) {
    switch header.widthCode {
    case 6: unsafe unpack(range, to: target, from: Int32.self)
    case 5: unsafe unpack(range, to: target, from: Int16.self)
    case 7:
      unsafe target.copyMemory(from: payload + range.lowerBound &* 8, byteCount: range.count &* 8)
    default:
      for index in range {
        unsafe target.storeBytes(
          of: uncheckedInteger(at: index), toByteOffset: (index &- range.lowerBound) &* 8,
          as: Int64.self)
      }
    }
  }

  @inline(__always)
  private func unpack<Old: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, to target: UnsafeMutableRawPointer, from old: Old.Type
  ) {
    let source = unsafe payload + range.lowerBound &* MemoryLayout<Old>.size
    for index in 0..<range.count {
      let value = unsafe source.load(fromByteOffset: index &* MemoryLayout<Old>.size, as: old)
      unsafe target.storeBytes(
        of: Int64(truncatingIfNeeded: value), toByteOffset: index &* 8, as: Int64.self)
    }
  }

  @inline(__always)
  private func pack<Old, New>(
    to target: UnsafeMutableRawPointer, from old: Old.Type, as new: New.Type
  ) where Old: FixedWidthInteger & BitwiseCopyable, New: FixedWidthInteger & BitwiseCopyable {
    for index in 0..<count {
      let value = unsafe payload.load(fromByteOffset: index &* MemoryLayout<Old>.size, as: old)
      unsafe target.storeBytes(
        of: New(truncatingIfNeeded: value), toByteOffset: index &* MemoryLayout<New>.size, as: new)
    }
  }
}
