// SPDX-License-Identifier: Apache-2.0

// How far, and how strictly, changesets are carried out.

/// The limits of one upload's effects on a file.
package struct ApplyLimits: Hashable, Sendable {
  /// The properties of a class, its primary key included.
  package var propertyCountMax: Int
  /// The tables of the file: the classes and a few of its own.
  package var classCountMax: Int
  /// The unit is about a nanosecond of an optimised build.
  package var work: Int

  package init(
    propertyCountMax: Int = 1_000, classCountMax: Int = 1_000, work: Int = 8_000_000_000
  ) {
    self.propertyCountMax = propertyCountMax
    self.classCountMax = classCountMax
    self.work = work
  }

  static let instructionWork = 1_000
  /// The work of a new class, beside its instruction.
  static let classWork = 1_000_000
  /// The work for each object when columns are added to a class again.
  static let rewriteWork = 100
}

/// The treatment of instructions that do not fit the file.
package enum ApplyPolicy: Hashable, Sendable {
  /// They make the changeset a bad one. For merged changesets.
  case strict
  /// They are dropped, and links to missing objects become null or are dropped. For own changes,
  /// repeated after a client reset (P5 6).
  case recovering
}
