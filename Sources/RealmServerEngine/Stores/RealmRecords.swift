// SPDX-License-Identifier: Apache-2.0

// The records of all apps of a directory.

import RealmStorage

/// Gives the record of an app, one for all its users.
final class RealmRecords: Sendable {
  private let system: any FileSystem
  private let records = Locked<[String: RealmRecord]>([:])

  init(_ system: any FileSystem) { self.system = system }

  /// The record with a path.
  subscript(path: String) -> RealmRecord {
    records.withLock { records in
      if let known = records[path] { return known }
      let record = RealmRecord(path, system)
      records[path] = record
      return record
    }
  }
}
