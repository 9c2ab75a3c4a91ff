// SPDX-License-Identifier: Apache-2.0

// One zlib stream of parts, some of which are compressed already.
//
// The blocks of `Zlib.compressWithoutHeader(_:after:isJoinable:)` end with an empty block, which
// fills a byte, and a last one. Without the latter, other blocks follow at once: references reach
// back inside of a part alone, so parts need not know of each other.

/// Joins plain and compressed parts to one stream.
package struct ZlibJoiner {
  private var bytes = Zlib.header
  private var checksum = Adler32.empty
  /// The last plain parts, which are compressed together.
  private var plain: [UInt8] = []
  /// The size of all parts.
  package private(set) var byteCount = 0

  package init() {}

  /// Whether blocks and their checksum can be joined: those of other encoders cannot.
  package static func isJoinable(_ compressed: ArraySlice<UInt8>) -> Bool {
    compressed.dropLast(4).suffix(9).elementsEqual(DeflateFormat.joint + DeflateFormat.end)
  }

  package mutating func append(_ part: some Sequence<UInt8>) { plain.append(contentsOf: part) }

  /// Adds a part by its blocks and checksum, which are joinable.
  package mutating func append(compressed: ArraySlice<UInt8>, byteCount: Int) {
    assert(Self.isJoinable(compressed), "the blocks of another encoder")
    compressPlain()
    bytes.append(contentsOf: compressed.dropLast(4 + DeflateFormat.end.count))
    let other = compressed.suffix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    add(other, byteCount)
  }

  private mutating func compressPlain() {
    guard !plain.isEmpty else { return }
    var before: [UInt8] = []
    swap(&before, &bytes)
    bytes = Deflate.compress(plain, after: consume before, isOpen: true)
    add(Adler32.checksum(of: plain.span), plain.count)
    plain.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ other: UInt32, _ count: Int) {
    checksum = Adler32.checksum(of: checksum, then: other, byteCount: count)
    byteCount += count
  }

  /// The stream of all parts.
  package mutating func finish() -> [UInt8] {
    compressPlain()
    bytes += DeflateFormat.end
    Zlib.append(checksum, to: &bytes)
    return bytes
  }
}
