// SPDX-License-Identifier: Apache-2.0

// The address of a value: an object, one of its fields, and the steps below it.

/// The address of a value in an instruction, beginning at a top-level object.
package struct InstructionPath: Hashable, Sendable {
  // The key stands first because the other parts fit into its last word.
  package var key: PrimaryKey
  package var table: InternedString
  package var field: InternedString
  /// The steps below the field, as elements of the instruction's changeset.
  package var elements: ElementRange

  package init(
    table: InternedString, key: PrimaryKey, field: InternedString, elements: ElementRange = .none
  ) {
    self.table = table
    self.key = key
    self.field = field
    self.elements = elements
  }
}
