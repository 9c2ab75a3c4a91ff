// SPDX-License-Identifier: Apache-2.0

// The errors of reading messages.

package import RealmFormats

/// The defect of bytes that are no message.
package enum MessageError: Error, Hashable, Sendable {
  /// The first word is no message of the protocol.
  case unknownMessage
  /// Fields are missing, too many, or no numbers, or a size is not the number of bytes.
  case badSyntax
  case badDecompression(CompressionError)
  /// An entry of a body does not begin as it should.
  case badChangesetHeader
  /// A body or a changeset is longer than the receiver takes.
  case badChangesetSize
  /// An error message has no document with the required keys.
  case badErrorDocument

  /// The code of the server's error for it.
  package var code: ConnectionErrorCode {
    switch self {
    case .unknownMessage: .unknownMessage
    case .badSyntax, .badErrorDocument: .badSyntax
    case .badDecompression: .badDecompression
    case .badChangesetHeader: .badChangesetHeader
    case .badChangesetSize: .badChangesetSize
    }
  }
}
