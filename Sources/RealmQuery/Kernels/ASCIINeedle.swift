// SPDX-License-Identifier: Apache-2.0

// A text to look for where case does not count, in a form that vectors compare.
//
// A letter of ASCII differs from its other case in one bit. So a byte of a text equals a lower-case
// letter, or its upper case, exactly if it does once that bit is set in it. Bytes of the needle
// that are no letters are compared as they are: no other byte of ASCII becomes one of them.

import RealmStorage

/// A text of ASCII that is looked for in other texts of ASCII, with regard to case or without.
@safe
final class ASCIINeedle: @unchecked Sendable {
  // Sendable: the bytes are written before any thread but the first can see them, and never again.

  /// The bytes, in lower case where case does not count; then, for each, the bits to set in a text
  /// before it is compared.
  private let bytes: UnsafeMutableRawPointer
  let count: Int

  /// Nil for a text with other characters.
  ///
  /// - Parameter text: In lower case, if case is ignored.
  init?(_ text: [UInt8], ignoresCase: Bool) {
    guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
    count = text.count
    unsafe bytes = UnsafeMutableRawPointer.allocate(byteCount: max(count * 2, 1), alignment: 8)
    for (index, byte) in text.enumerated() {
      let isLetter = ignoresCase && byte >= 0x61 && byte <= 0x7A
      unsafe bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      unsafe bytes.storeBytes(of: isLetter ? 0x20 : 0, toByteOffset: count + index, as: UInt8.self)
    }
  }

  deinit { unsafe bytes.deallocate() }

  /// Byte `index`.
  @inline(__always)
  func byte(at index: Int) -> UInt8 {
    unsafe bytes.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The bits to set in a byte of a text before it is compared with byte `index`.
  @inline(__always)
  func mask(at index: Int) -> UInt8 {
    unsafe bytes.load(fromByteOffset: count &+ index, as: UInt8.self)
  }

  /// Whether the needle stands at `start`, where there are as many bytes as it has.
  @inline(__always)
  func stands(at start: UnsafeRawPointer) -> Bool {
    var index = 0
    guard count >= 8 else {
      while index < count {
        let byte = unsafe start.load(fromByteOffset: index, as: UInt8.self)
        if byte | mask(at: index) != self.byte(at: index) { return false }
        index &+= 1
      }
      return true
    }
    while true {
      let text = unsafe start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let mask = unsafe bytes.loadUnaligned(fromByteOffset: count &+ index, as: UInt64.self)
      let wanted = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if text | mask != wanted { return false }
      if index == count &- 8 { return true }
      // The last eight bytes may have been compared in part already.
      index = min(index &+ 8, count &- 8)
    }
  }

  /// Whether a text of ASCII passes the test.
  func matches(_ text: ByteView, _ place: NeedlePlace) -> Bool {
    guard text.count >= count, let start = unsafe text.bytes.baseAddress else {
      return place == .whole && text.count == count
    }
    switch place {
    case .whole: return unsafe text.count == count && stands(at: start)
    case .start: return unsafe count > 0 && stands(at: start)
    case .end: return unsafe count > 0 && stands(at: start + (text.count &- count))
    case .anywhere:
      var isFound = false
      unsafe SubstringScan.forEach(self, in: start, count: text.count) { _ in
        isFound = true
        return false
      }
      return isFound
    }
  }
}

extension ByteView {
  /// Whether all bytes are characters of ASCII.
  @inline(__always)
  var isASCII: Bool {
    var all: UInt64 = 0
    var index = 0
    while index &+ 8 <= count {
      all |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    while index < count {
      all |= UInt64(self[index])
      index &+= 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }
}
