// SPDX-License-Identifier: Apache-2.0

// The entry of a page in an encrypted file: how it was written last, and the time before.

/// One way in which a page was written.
struct PageStamp: Equatable, Sendable {
  /// How often the page was written; 0 if it never was.
  var counter: UInt32
  var code: PageCode

  /// The stamp of a page that was never written.
  static var none: PageStamp { PageStamp(counter: 0, code: .none) }

  /// The counter of the next write: never one that was used before, not even by a write that did
  /// not arrive.
  var nextCounter: UInt32 { counter == .max ? 1 : counter + 1 }

  /// A digest of a stamp of a page, in little space.
  var mark: SIMD4<UInt32> { SIMD4(counter, code.words[0], code.words[1], code.words[2]) }
}

/// The 64 bytes that represent a page in the entries of its block.
struct PageEntry: Equatable, Sendable {
  static let byteCount = 64

  var current: PageStamp
  /// The stamp of the page if a crash kept the last write from it.
  var previous: PageStamp

  init(current: PageStamp, previous: PageStamp) {
    self.current = current
    self.previous = previous
  }

  init(at address: UnsafeRawPointer) {
    func stamp(_ offset: Int) -> PageStamp {
      unsafe PageStamp(
        counter: UInt32(
          littleEndian: address.loadUnaligned(fromByteOffset: offset, as: UInt32.self)),
        code: PageCode(at: address + offset + 4))
    }
    current = stamp(0)
    previous = stamp(32)
  }

  func store(to address: UnsafeMutableRawPointer) {
    for (offset, stamp) in [(0, current), (32, previous)] {
      unsafe address.storeBytes(
        of: stamp.counter.littleEndian, toByteOffset: offset, as: UInt32.self)
      unsafe stamp.code.store(to: address + offset + 4)
    }
  }

  /// The stamp that a page with this code was written with; nil if it is neither.
  func stamp(of code: PageCode) -> PageStamp? {
    if current.counter != 0, code == current.code { return current }
    if previous.counter != 0, code == previous.code { return previous }
    return nil
  }
}
