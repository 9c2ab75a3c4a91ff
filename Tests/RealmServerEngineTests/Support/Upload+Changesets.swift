// SPDX-License-Identifier: Apache-2.0

// Uploads of changesets that tests make.

import RealmSyncProtocol

@testable import RealmServerEngine

extension Upload {
  /// An upload of changesets with consecutive client versions and one base.
  init(
    _ file: ClientFile, _ changesets: [[UInt8]], from version: UInt64, base: UInt64 = 0,
    time: UInt64 = 100
  ) {
    self.init(
      file: file.ident,
      entries: changesets.enumerated().map {
        UploadEntry(
          clientVersion: version + UInt64($0.offset), serverVersion: base,
          timestamp: OriginTimestamp(milliseconds: time), changeset: $0.element)
      },
      progress: UploadCursor(
        clientVersion: version + UInt64(changesets.count) - 1, serverVersion: base))
  }
}

extension ServerRealm {
  /// Integrates uploads in one transaction, as if they had waited together.
  func integrate(group uploads: [Upload]) async -> [UploadOutcome] {
    await integrate(uploads.map { UploadAttempt($0) })
  }
}
