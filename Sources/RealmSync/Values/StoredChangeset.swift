// SPDX-License-Identifier: Apache-2.0

// Changesets in files; their defects are those of the database.

import RealmFormats
import RealmStorage
import RealmSyncProtocol

/// The stored form of changesets.
enum StoredChangeset {
  /// The bytes to be stored for a changeset; none for an empty one.
  static func encode(_ changeset: [UInt8]) -> [UInt8] { StoredChangesetFraming.encode(changeset) }

  /// The changeset of some bytes in a file.
  ///
  /// - Parameter isFramed: Whether there is a form at all: histories before schema version 12 have
  ///   plain changesets.
  static func decode(_ stored: [UInt8], isFramed: Bool = true) throws(StorageError) -> [UInt8] {
    guard isFramed else { return stored }
    do throws(CompressionError) {
      return try StoredChangesetFraming.decode(stored)
    } catch {
      throw .corrupted("a stored changeset cannot be decompressed: \(error)")
    }
  }

  /// The size of the changeset of some bytes in a file.
  static func byteCount(of stored: [UInt8]) throws(StorageError) -> Int {
    do throws(CompressionError) {
      return try StoredChangesetFraming.size(stored)
    } catch {
      throw .corrupted("a stored changeset has no size: \(error)")
    }
  }

  /// The parsed changeset of an entry of this file.
  static func parse(
    _ stored: [UInt8], isFramed: Bool = true, origin: ChangesetOrigin
  ) throws(StorageError) -> Changeset {
    let bytes = try decode(stored, isFramed: isFramed)
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes, origin: origin)
    } catch {
      throw .corrupted("a stored changeset cannot be read: \(error)")
    }
  }
}
