// SPDX-License-Identifier: Apache-2.0

// The first 24 bytes of a database file (file format 1.2).

/// The decoded header of a database file.
package struct FileHeader: Hashable, Sendable {
  package var topRefs: (UInt64, UInt64)
  package var formatVersions: (UInt8, UInt8)
  package var reserved: UInt8
  package var flags: UInt8

  package static let byteCount = 24
  /// The format that this engine reads and writes.
  package static let supportedVersion = 24
  /// The formats that can be brought to the present one.
  package static let upgradableVersions: Set<Int> = [10, 11, 20, 21, 22, 23]
  static let mnemonic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
  static let flagsOffset = 23
  /// The top ref of a file in streaming form, whose real one is in the footer.
  static let streamingMark = UInt64.max
  static let footerByteCount = 16
  static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8

  /// The header of a file that was never committed to.
  package static var blank: FileHeader {
    FileHeader(topRefs: (0, 0), formatVersions: (0, 0), reserved: 0, flags: 0)
  }

  /// The header of a file in streaming form.
  static var streaming: FileHeader {
    FileHeader(
      topRefs: (streamingMark, 0), formatVersions: (UInt8(supportedVersion), 0), reserved: 0,
      flags: 0)
  }

}

extension FileHeader {
  /// Reads the header; nil if the bytes do not say that this is a database.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount, unsafe bytes[16..<20].elementsEqual(Self.mnemonic) else {
      return nil
    }
    topRefs = unsafe (
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
    formatVersions = unsafe (bytes[20], bytes[21])
    reserved = unsafe bytes[22]
    flags = unsafe bytes[23]
  }

  /// The header as it stands in the file.
  package var bytes: [UInt8] {
    var result: [UInt8] = []
    for ref in [topRefs.0, topRefs.1] {
      unsafe withUnsafeBytes(of: ref.littleEndian) { unsafe result.append(contentsOf: $0) }
    }
    result += Self.mnemonic
    result += [formatVersions.0, formatVersions.1, reserved, flags]
    return result
  }

  /// Which of the two slots is committed.
  package var selectedSlot: Int { Int(flags & 1) }

  /// The header with another version in one of its slots.
  func naming(_ topRef: Ref, inSlot slot: Int) -> FileHeader {
    var header = self
    let format = UInt8(Self.supportedVersion)
    if slot == 0 {
      header.topRefs.0 = UInt64(topRef.offset)
      header.formatVersions.0 = format
    } else {
      header.topRefs.1 = UInt64(topRef.offset)
      header.formatVersions.1 = format
    }
    return header
  }

  /// The ref of the top array that a slot names.
  package func topRef(slot: Int) -> UInt64 { slot == 0 ? topRefs.0 : topRefs.1 }

  /// The format version that a slot names.
  package func formatVersion(slot: Int) -> Int {
    Int(slot == 0 ? formatVersions.0 : formatVersions.1)
  }

  /// Whether the file was written as a stream and never committed to since.
  package var isStreaming: Bool { selectedSlot == 0 && topRefs.0 == Self.streamingMark }

  package static func == (left: FileHeader, right: FileHeader) -> Bool {
    left.bytes == right.bytes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
