// SPDX-License-Identifier: Apache-2.0

// Tells a row of a write transaction that is stale from one that is not.

/// Counts the changes of structure in a write transaction.
@usableFromInline
package final class StructureGeneration {
  @exclusivity(unchecked) @usableFromInline package var value = 0

  package init() {}
}
