// SPDX-License-Identifier: Apache-2.0

// What a session asks its file to do.

/// A request to the file of a session. One is under way at a time.
package enum StoreRequest: Hashable, Sendable {
  /// Prepare for a session: integrate a bootstrap that is complete, drop an unfinished one.
  case begin
  case adoptIdent(FileIdentifier, salt: UInt64)
  /// Find what is to be uploaded after a version, up to another one or to the newest.
  case scanUploads(after: UInt64, through: UInt64?)
  /// Integrate a DOWNLOAD of the steady state.
  case integrate(ReceivedDownload)
  /// Keep a part of a bootstrap, whose subscription set becomes bootstrapping.
  case keepBootstrapPart(ReceivedDownload, queryVersion: UInt64, isLast: Bool)
  /// Integrate the bootstrap, whose set becomes awaitingMark and whose older sets go.
  case processBootstrap(queryVersion: UInt64)
  /// The set has all of its objects.
  case markComplete(queryVersion: UInt64)
  /// The server does not accept the set.
  case rejectQuery(version: UInt64, message: String)
}
