// SPDX-License-Identifier: Apache-2.0

// Writes gzip files.

/// Compresses bytes as one member of a gzip file (RFC 1952).
package enum Gzip {
  /// Deflate without name or time, made by the fastest algorithm on an unknown system.
  private static let header = GzipReader.magic + [8, 0, 0, 0, 0, 0, 4, 255]

  /// The file with the bytes.
  package static func compress(_ input: [UInt8]) -> [UInt8] {
    var bytes = Deflate.compress(input, after: header)
    var checksum = CRC32()
    checksum.add(input)
    for number in [checksum.checksum, UInt32(truncatingIfNeeded: input.count)] {
      for shift in [0, 8, 16, 24] as [UInt32] {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    return bytes
  }
}
