// SPDX-License-Identifier: Apache-2.0

// An entry of an upload, read.

import RealmSyncProtocol

/// An entry of an upload with the changeset that its bytes are.
struct ReceivedEntry: Sendable {
  let clientVersion: UInt64
  /// The last integrated server version when the change was made.
  let serverVersion: UInt64
  let bytes: [UInt8]
  /// With the identifier of the client's file. The origin has the client's version.
  let changeset: Changeset
  /// Whether the bytes lack that identifier.
  let hasNewFile: Bool
  /// Whether objects are made.
  private(set) var creates = false
  /// Whether classes or properties are declared.
  private(set) var declares = false

  /// Reads an entry.
  ///
  /// - Parameter instructionCountMax: What the upload may have still.
  init(
    _ entry: UploadEntry, of file: FileIdentifier, instructionCountMax: Int
  ) throws(SessionRefusal) {
    (clientVersion, serverVersion) = (entry.clientVersion, entry.serverVersion)
    bytes = entry.changeset
    let origin = ChangesetOrigin(
      version: entry.clientVersion, remoteVersion: entry.serverVersion, file: file,
      timestamp: entry.timestamp)
    do throws(ChangesetError) {
      (changeset, hasNewFile) = try ChangesetParser.parse(
        entry.changeset, replacingOwnFileBy: file, origin: origin,
        instructionCountMax: instructionCountMax)
    } catch {
      throw SessionRefusal(.badChangeset, "Bad changeset: \(error)")
    }
    for instruction in changeset.instructions {
      switch instruction {
      case .createObject: creates = true
      case .addTable, .addColumn: declares = true
      case .eraseTable, .eraseColumn:
        throw SessionRefusal(
          .invalidSchemaChange, "Classes and properties cannot be removed from the server")
      default: continue
      }
    }
  }

  /// What the entry takes of the instructions that its upload may have.
  var instructionCount: Int { max(changeset.instructions.count, changeset.elements.count) }
}
