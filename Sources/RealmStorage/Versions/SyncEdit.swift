// SPDX-License-Identifier: Apache-2.0

// What a write transaction does to the history of a synchronised file.
//
// 1. Every commit to a synchronised file adds one entry (`SyncHistory` 1): the one that was set, or
//    the empty entry of a local commit.
// 2. All changes are made to one working copy, in the order of the calls.
// 3. A change that throws leaves the working copy in no defined state: the transaction can only be
//    rolled back.

/// The changes of one transaction to a synchronised file's history.
final class SyncEdit {
  /// The entry of the commit; nil for the empty one of a local commit.
  var entry: SyncEntry?
  /// The uncompressed size of the entry's changeset.
  var entryByteCount = 0
  /// The history as it is now; nil until it is asked for.
  var history: SyncHistory?
  /// The new identifier of the file; nil if it stays.
  var fileIdentifier: Int?
}
