// SPDX-License-Identifier: Apache-2.0

// What upkeep has done to a realm.

/// The numbers of what went.
package struct Trimmed: Hashable, Sendable {
  /// Client files that expired.
  package var expiredFiles = 0
  /// Client files that were expired for long, and were removed.
  package var forgottenFiles = 0
  /// Versions whose entries were removed.
  package var versions: UInt64 = 0
}
