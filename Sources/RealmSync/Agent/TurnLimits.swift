// SPDX-License-Identifier: Apache-2.0

// When an integration lets other writers go first (P3 B).

/// The limits of an integration's turn: it then commits and waits for the next one.
package struct TurnLimits: Hashable, Sendable {
  /// Bytes of changesets after which a waiting writer of this process goes first.
  package var byteCount = 100 << 10
  /// Time after which a waiting writer of this process goes first. The commit and its syncs follow:
  /// with 5 ms a local writer waits 10 ms (p99) during steady integration.
  package var contended = Duration.milliseconds(5)
  /// Time after which the turn ends in any case: writers of other processes cannot be seen.
  package var uncontended = Duration.milliseconds(100)
  /// The most bytes of changesets in one merge, beyond the first changeset. If a group alters an
  /// own changeset it is applied in one turn, so a long one would keep writers waiting.
  package var groupByteCount = 64 << 10

  package init() {}

  /// Whether a turn ends.
  func isOver(
    after byteCount: Int, since start: ContinuousClock.Instant, hasWaiters: Bool
  ) -> Bool {
    if byteCount == 0 { return false }
    let elapsed = ContinuousClock.now - start
    if elapsed >= uncontended { return true }
    return hasWaiters && (byteCount >= self.byteCount || elapsed >= contended)
  }
}
