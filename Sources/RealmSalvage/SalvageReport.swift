// SPDX-License-Identifier: Apache-2.0

// The result of a salvage.

/// The outcome of a salvage.
package struct SalvageReport: Sendable {
  /// A class, and its saved objects.
  package struct Class: Sendable {
    package let name: String
    /// The number of objects by the file; nil where it cannot be read.
    package var expected: Int?
    package var saved = 0
    /// Unreadable values, replaced by those of a new object.
    package var lostValues = 0

    package var lostObjects: Int? { expected.map { max($0 - saved, 0) } }
  }

  package var classes: [Class] = []
  /// Unreadable parts of the file, the first few.
  package var problems: [String] = []
  /// The places of tables whose description could not be read.
  var unreadable: Set<Int> = []
  /// Whether the newest version could not be opened, and that before it was.
  package var isOlderVersion = false
  /// Whether the roots of the file are gone, and its objects were found among its bytes.
  package var isFound = false

  package var savedCount: Int { classes.reduce(0) { $0 + $1.saved } }

  /// Whether all objects counted by the file are there.
  var isComplete: Bool { classes.allSatisfy { $0.lostObjects == 0 } }

  /// Whether everything was saved.
  package var isWhole: Bool {
    problems.isEmpty && !isOlderVersion && !isFound
      && classes.allSatisfy { $0.lostValues == 0 && $0.expected == $0.saved }
  }

  mutating func add(_ problem: String) {
    if problems.count < 100, !problems.contains(problem) { problems.append(problem) }
  }
}
