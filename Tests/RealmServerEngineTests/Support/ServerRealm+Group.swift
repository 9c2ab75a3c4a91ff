// SPDX-License-Identifier: Apache-2.0

// Uploads that come together.

@testable import RealmServerEngine

extension ServerRealm {
  /// Integrates uploads in one transaction, as if they had waited together.
  func integrate(group uploads: [Upload]) async -> [UploadOutcome] {
    await integrate(uploads.map { UploadAttempt($0) })
  }
}
