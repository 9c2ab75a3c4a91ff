// SPDX-License-Identifier: Apache-2.0

// The errors of a connection, which end it.

/// A code of an error of a connection, which ends it. The code 104 has no case: deployed clients
/// abort.
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
