// SPDX-License-Identifier: Apache-2.0

// The own changesets from one commit to the next.

/// Keeps the own changesets that were parsed for a commit, so that the next one does not parse
/// them again: with 10,000 changes that wait for upload, parsing took 75 of 97 ms of a commit in a
/// debug build. Confined to the queue of an agent, whose integrations share it.
final class OwnEntryCache {
  /// More bytes are not kept: parsed changesets take several times as much.
  private static let byteCountMax = 16 << 20

  private var entries: OwnEntries?

  /// Takes what is kept for a commit. Nothing is kept until the commit gives it back.
  func take() -> OwnEntries? {
    defer { entries = nil }
    return entries
  }

  /// Keeps what a commit has merged with, as the commit has stored it.
  func keep(_ entries: OwnEntries?) {
    guard let entries, entries.byteCount <= Self.byteCountMax else { return }
    self.entries = entries
  }

  /// Forgets everything, as the history of the file was replaced or a commit was undone.
  func removeAll() { entries = nil }
}
