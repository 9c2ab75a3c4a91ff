// SPDX-License-Identifier: Apache-2.0

// The treatment of instructions that do not fit.

/// The treatment of instructions that do not fit the file.
package enum ApplyPolicy: Hashable, Sendable {
  /// They make the changeset a bad one. For merged changesets.
  case strict
  /// They are dropped, and links to missing objects become null or are dropped. For own changes,
  /// repeated after a client reset (P5 6).
  case recovering
}
