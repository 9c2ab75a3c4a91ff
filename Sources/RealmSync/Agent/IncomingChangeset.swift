// SPDX-License-Identifier: Apache-2.0

// A downloaded changeset, parsed before the right to write is asked for.

import RealmStorage
import RealmSyncProtocol

/// A parsed changeset of another file.
struct IncomingChangeset {
  /// Its origin has the server version, and as remote version its base: a version of this file.
  var changeset: Changeset
  let byteCount: Int
  let originalByteCount: UInt64

  init(_ entry: DownloadEntry) throws(IntegrationError) {
    let origin = ChangesetOrigin(
      version: entry.serverVersion, remoteVersion: entry.clientVersion, file: entry.file,
      timestamp: entry.timestamp)
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(entry.changeset, origin: origin)
    } catch {
      throw .unreadableChangeset(error)
    }
    byteCount = entry.changeset.count
    originalByteCount = entry.originalByteCount
  }

  /// Parses all changesets of a message, whose versions must ascend.
  static func parse(_ entries: [DownloadEntry]) throws(IntegrationError) -> [Self] {
    var result: [Self] = []
    result.reserveCapacity(entries.count)
    for entry in entries {
      guard entry.file != .own else { throw .badProgress("an entry without a file") }
      guard entry.file.rawValue <= UInt64(Int64.max) else {
        throw .badProgress("a number of an entry is out of range")
      }
      if let last = result.last?.changeset.origin {
        guard entry.serverVersion >= last.version, entry.clientVersion >= last.remoteVersion else {
          throw .badProgress("the versions of entries go back")
        }
      }
      result.append(try IncomingChangeset(entry))
    }
    return result
  }
}
