// SPDX-License-Identifier: Apache-2.0

// Changesets in files; their defects are those of the database.

import RealmFormats
import RealmStorage
import RealmSyncProtocol

/// The stored form of changesets (`StoredChangesetFraming`), as it is read from a file.
enum StoredChangeset {
  /// The changeset of some bytes in a file.
  static func decode(_ stored: [UInt8]) throws(StorageError) -> [UInt8] {
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
  ///
  /// - Parameters:
  ///   - isFramed: Whether there is a form at all: histories before schema version 12 have plain
  ///     changesets.
  ///   - file: The identifier in place of 0 (`ChangesetParser`).
  /// - Returns: The changeset, and whether it differs from the entry.
  static func parse(
    _ stored: [UInt8], isFramed: Bool = true, replacingOwnFileBy file: FileIdentifier = .own,
    origin: ChangesetOrigin = ChangesetOrigin()
  ) throws(StorageError) -> (changeset: Changeset, isChanged: Bool) {
    let bytes = isFramed ? try decode(stored) : stored
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes, replacingOwnFileBy: file, origin: origin)
    } catch {
      throw .corrupted("a stored changeset cannot be read: \(error)")
    }
  }
}
