// SPDX-License-Identifier: Apache-2.0

// Uploads of changesets that tests make.

package import RealmServerEngine
package import RealmSyncProtocol

extension Upload {
  /// An upload of changesets with consecutive client versions and one base.
  package init(
    _ file: ClientFile, _ changesets: [[UInt8]], from version: UInt64, base: UInt64 = 0,
    time: UInt64 = 100
  ) {
    self.init(
      of: file.ident,
      changesets.enumerated().map {
        UploadEntry(
          clientVersion: version + UInt64($0.offset), serverVersion: base,
          timestamp: OriginTimestamp(milliseconds: time), changeset: $0.element)
      },
      progress: UploadCursor(
        clientVersion: version + UInt64(changesets.count) - 1, serverVersion: base))
  }
}

extension UploadOutcome {
  /// The code of a refusal; nil if the upload was integrated.
  package var code: SessionErrorCode? {
    switch self {
    case .integrated: nil
    case .refused(let refusal): refusal.code
    case .failed: .sessionClosed
    }
  }
}

extension ServerStoreReply {
  /// The code of a refusal.
  package var code: SessionErrorCode? {
    if case .refused(let refusal) = self { refusal.code } else { nil }
  }
}
