// SPDX-License-Identifier: Apache-2.0

// What became of a session's request to its realm.

/// The answer to a `ServerStoreRequest`.
package enum ServerStoreReply: Hashable, Sendable {
  /// The answer to `bind`: the identity of the file that was made, if one was needed.
  case bound(ident: FileIdentifier, salt: UInt64)
  /// The request is carried out.
  case done
  case file(ServerFileLookup)
  /// The answer to `claim`: the record of the file, which an older session may have changed since
  /// `lookUp`, and the reports of compensating writes that the client has not got yet.
  case claimed(ServerFile, rejected: [CompensatingWriteReport])
  case head(SaltedVersion)
  case download(ServerDownload)
  /// An upload is on the disk. The reports are of writes that were refused, in rising order of
  /// their server versions.
  case integrated(head: SaltedVersion, rejected: [CompensatingWriteReport])
  /// A query is not accepted; the session goes on with the old one.
  case queryRefused(message: String)
  case refused(SessionRefusal)
}
