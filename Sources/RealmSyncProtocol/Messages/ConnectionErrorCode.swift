// SPDX-License-Identifier: Apache-2.0

// The errors that end a connection.

/// A code of an error that ends a connection. The one that aborts deployed clients
/// (104) has no case.
package enum ConnectionErrorCode: Int, CaseIterable, Hashable, Sendable {
  case connectionClosed = 100
  case other = 101
  case unknownMessage = 102
  case badSyntax = 103
  case wrongProtocolVersion = 105
  case badSessionIdent = 106
  case reuseOfSessionIdent = 107
  case boundInOtherSession = 108
  case badMessageOrder = 109
  case badDecompression = 110
  case badChangesetHeader = 111
  case badChangesetSize = 112
  case switchToFlexible = 113
  case switchToPartition = 114
}
