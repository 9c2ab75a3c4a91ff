// SPDX-License-Identifier: Apache-2.0

// A number for the content of all classes, for comparing peers.

package import RealmStorage
import RealmSync
package import RealmSyncProtocol
package import RealmTables

/// A digest of the content of all classes.
///
/// Two files have the same if their classes have the same properties, and the same objects by
/// primary key with the same values: lists in their order, sets and dictionaries in any, links by
/// the primary keys of their targets, embedded objects by their contents. Tombstones, links to them
/// and local numbers (keys, indexes, internal tables) do not count.
package struct StateDigest: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64 = 0, low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  /// The digest of a version, or of a write transaction as it stands.
  ///
  /// - Parameter file: The file's identifier at other files, for its objects of classes without
  ///   primary key.
  package init(of source: some TableReader, file: FileIdentifier = .own) throws(StorageError) {
    var hasher = ContentHasher(source: source, file: file)
    self = try hasher.digest()
  }

  /// Adds another digest, in any order.
  static func += (left: inout StateDigest, right: StateDigest) {
    left.high &+= right.high
    left.low &+= right.low
  }
}

extension DigestHasher {
  /// The digest of what was added.
  var stateDigest: StateDigest {
    let digest = digest
    return StateDigest(high: digest.high, low: digest.low)
  }

  mutating func add(_ digest: StateDigest) {
    add(digest.high)
    add(digest.low)
  }
}
