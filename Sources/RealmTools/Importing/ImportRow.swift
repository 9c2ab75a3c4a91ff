// SPDX-License-Identifier: Apache-2.0

// What an import reads: a row after the other.

/// A row of an imported file.
struct ImportRow {
  let result: Result<ImportRecord, BadRow>
  /// Where it begins.
  let line: Int
  /// Of everything that was read up to the end of the row.
  let digest: InputDigest
}
