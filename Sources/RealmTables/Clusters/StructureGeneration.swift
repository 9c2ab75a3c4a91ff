// SPDX-License-Identifier: Apache-2.0

// The generation by which a stale row of a write transaction is recognized.

/// Counts the changes of structure in a write transaction.
@usableFromInline
package final class StructureGeneration {
  @exclusivity(unchecked) @usableFromInline package var value = 0

  package init() {}
}
