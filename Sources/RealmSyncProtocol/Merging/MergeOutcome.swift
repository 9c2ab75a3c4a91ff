// SPDX-License-Identifier: Apache-2.0

// What a merge changed.

/// The changesets that a merge changed, by their positions in ascending order.
///
/// A local changeset that was altered is the new reciprocal for the peer. The bytes of an incoming
/// changeset that was not altered can be stored as they came.
package struct MergeOutcome: Hashable, Sendable {
  package var alteredLocal: [Int]
  package var alteredIncoming: [Int]
  /// Whether an incoming changeset altered a local one, which later ones may have taken back. Then
  /// the first of the incoming changesets alone would leave other local ones than all of them.
  package var isLocalTouched: Bool

  package init(
    alteredLocal: [Int] = [], alteredIncoming: [Int] = [], isLocalTouched: Bool = false
  ) {
    self.alteredLocal = alteredLocal
    self.alteredIncoming = alteredIncoming
    self.isLocalTouched = isLocalTouched
  }
}
