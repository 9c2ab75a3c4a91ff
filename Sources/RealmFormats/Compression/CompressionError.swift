// SPDX-License-Identifier: Apache-2.0

// The errors of reading compressed bytes.

/// The defect of bytes that are no compressed form of the announced size.
package enum CompressionError: Error, Hashable, Sendable {
  /// The bytes end before the compressed data does.
  case truncated
  /// Bytes follow the compressed data.
  case trailingBytes
  /// The two bytes at the beginning are no header of a zlib stream without dictionary.
  case badHeader
  case badBlockType
  /// The two forms of a stored block's size disagree.
  case badStoredSize
  /// The lengths of a block's codes describe no prefix code.
  case badCodeLengths
  /// The bits are no code of their alphabet.
  case badCode
  /// A match begins before the beginning of the output.
  case badDistance
  /// The data is longer than announced.
  case longerThanAnnounced
  /// The data is shorter than announced.
  case shorterThanAnnounced
  /// The announced size is beyond any compressed form of the length.
  case impossibleSize
  /// The announced size is more than the reader takes.
  case sizeOverLimit(UInt64)
  case badChecksum
  /// A stored changeset is compressed as only Apple's systems can read it (LZFSE).
  case appleCompression
  /// A stored changeset is compressed in an unknown way.
  case unknownAlgorithm(UInt8)
}
