// SPDX-License-Identifier: Apache-2.0

// Positions in the history of a file, which programs store.

/// A version of a file, from which ``Realm/changes(since:)`` gives what changed later.
///
/// It can be encoded and stored, and is good as long as the history of the file reaches back to it
/// (``Realm/Configuration/historyLimit``), across restarts. It keeps no version alive.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The number of the version.
  let version: UInt64
  /// A checksum of the file's identity and of the commit that made the version, by which the token
  /// of another file is found out; nil if the file did not have the changes of that commit.
  let mark: UInt64?

  init(version: UInt64, changeset: [UInt8]?, identity: Int64) {
    self.version = version
    mark = changeset.map { HistoryToken.mark(of: $0, identity) }
  }

  /// FNV-1a: a checksum against mistakes, not against attackers.
  private static func mark(of changeset: [UInt8], _ identity: Int64) -> UInt64 {
    changeset.reduce(0xCBF2_9CE4_8422_2325 ^ UInt64(bitPattern: identity)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
  }
}
