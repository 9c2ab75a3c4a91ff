// SPDX-License-Identifier: Apache-2.0

// The authentication code of a page.

/// A code of 28 bytes that cannot be computed without the key.
struct PageCode: Sendable {
  static let byteCount = SHA224.byteCount

  /// The seven words of the code; the eighth is 0.
  var words: SIMD8<UInt32>

  init(words: SIMD8<UInt32>) { self.words = words }

  /// The code of a page that was never written.
  static var none: PageCode { PageCode(words: .zero) }

  /// Reads the 28 bytes at `address`.
  init(at address: UnsafeRawPointer) {
    words = .zero
    for index in 0..<7 {
      words[index] = unsafe UInt32(
        bigEndian: address.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
  }

  /// Writes the 28 bytes to `address`.
  func store(to address: UnsafeMutableRawPointer) {
    for index in 0..<7 {
      unsafe address.storeBytes(
        of: words[index].bigEndian, toByteOffset: index * 4, as: UInt32.self)
    }
  }
}

extension PageCode: Equatable {
  /// Compares all bytes, wherever the first difference is.
  static func == (left: PageCode, right: PageCode) -> Bool {
    let difference = left.words ^ right.words
    return (0..<8).reduce(0) { $0 | difference[$1] } == 0
  }
}
