// SPDX-License-Identifier: Apache-2.0

// The result of a merge.

/// The changesets changed by a merge, by their positions in ascending order.
///
/// An altered local changeset is the new reciprocal for the peer. The bytes of an unaltered
/// incoming changeset can be stored as they came.
package struct MergeOutcome: Hashable, Sendable {
  package var alteredLocal: [Int]
  package var alteredIncoming: [Int]
  /// Whether an incoming changeset altered a local one, even if later ones took it back. Then the
  /// first of the incoming changesets alone would leave other local ones than all of them.
  package var isLocalTouched: Bool

  package init(
    alteredLocal: [Int] = [], alteredIncoming: [Int] = [], isLocalTouched: Bool = false
  ) {
    self.alteredLocal = alteredLocal
    self.alteredIncoming = alteredIncoming
    self.isLocalTouched = isLocalTouched
  }
}
