// SPDX-License-Identifier: Apache-2.0

// The reasons for which the server ends a session.

/// The code of the error that ends a session, as the protocol numbers it.
package enum RefusalCode: Int, Hashable, Sendable {
  case alreadyBound = 108
  case badChangesetSize = 112
  case sessionClosed = 200
  case badClientFileIdent = 208
  case badServerVersion = 209
  case badClientVersion = 210
  case divergingHistories = 211
  case badChangeset = 212
  case badOriginFile = 216
  case clientFileExpired = 222
  case userMismatch = 223
  case invalidSchemaChange = 225
  case badQuery = 226
}
