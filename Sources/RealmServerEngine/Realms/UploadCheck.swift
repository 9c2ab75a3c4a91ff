// SPDX-License-Identifier: Apache-2.0

// The checks of an UPLOAD message, in the order of P4 A.4.

package import RealmSyncProtocol

/// Checks the uploads of one session, each against what came before it.
package struct UploadCheck: Sendable {
  /// The largest changeset.
  package static let changesetByteCountMax = 16 << 20

  /// The progress that the session has reached.
  private var clientVersion: UInt64
  private var serverVersion: UInt64 = 0
  private var lockedVersion: UInt64 = 0
  /// The newest server version that the client was sent.
  private var sentVersion: UInt64

  /// The check of a session that begins.
  ///
  /// A client that did not learn what became of its last uploads sends them again, in any parts,
  /// so the session's progress may be below the stored progress.
  package init(cursor: DownloadCursor) {
    clientVersion = cursor.clientVersion
    sentVersion = cursor.serverVersion
  }

  /// Notes that a DOWNLOAD took the client to a version.
  package mutating func didSend(serverVersion: UInt64) {
    sentVersion = max(sentVersion, serverVersion)
  }

  /// Checks an upload, which counts from then on.
  package mutating func check(_ upload: Upload) throws(ServerRefusal) {
    guard upload.progressClientVersion >= clientVersion else {
      throw ServerRefusal(.badClientVersion, "The client version of the progress went back")
    }
    guard upload.progressServerVersion <= sentVersion,
      upload.progressServerVersion >= serverVersion
    else { throw ServerRefusal(.badServerVersion, "Bad server version of the progress") }
    guard upload.lockedServerVersion >= lockedVersion, upload.lockedServerVersion <= sentVersion
    else { throw ServerRefusal(.badServerVersion, "Bad locked server version") }
    var (lastClient, lastServer): (UInt64?, UInt64) = (nil, 0)
    for entry in upload.entries {
      guard lastClient.map({ entry.clientVersion > $0 }) ?? (entry.clientVersion > 0),
        entry.clientVersion <= upload.progressClientVersion
      else {
        throw ServerRefusal(.badClientVersion, "Bad client version \(entry.clientVersion)")
      }
      guard entry.serverVersion >= lastServer,
        entry.serverVersion <= upload.progressServerVersion
      else {
        throw ServerRefusal(.badServerVersion, "Bad server version \(entry.serverVersion)")
      }
      guard entry.originFile == .own else {
        throw ServerRefusal(.badOriginFile, "Bad origin file \(entry.originFile.rawValue)")
      }
      guard entry.changeset.count <= Self.changesetByteCountMax else {
        throw ServerRefusal(.badChangesetSize, "The changeset is too large")
      }
      (lastClient, lastServer) = (entry.clientVersion, entry.serverVersion)
    }
    clientVersion = upload.progressClientVersion
    serverVersion = upload.progressServerVersion
    lockedVersion = upload.lockedServerVersion
  }
}
