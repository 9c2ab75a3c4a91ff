// SPDX-License-Identifier: Apache-2.0

// What is done with instructions that do not fit.

/// The treatment of instructions that do not fit the file.
package enum ApplyPolicy: Hashable, Sendable {
  /// They make the changeset a bad one. For changesets that were merged.
  case strict
  /// They are dropped, and links to missing objects become null or are dropped. For own changes
  /// that are made again after a client reset (P5 6).
  case recovering
}
