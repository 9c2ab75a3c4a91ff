// SPDX-License-Identifier: Apache-2.0

// What was saved of a damaged file.

import RealmSalvage

extension Realm {
  /// The result of ``salvage(from:to:encryptionKey:progress:)``.
  public struct SalvageReport: Sendable {
    /// A class, and what was saved of it.
    public struct SavedClass: Hashable, Sendable {
      /// The name of the class in the file.
      public let name: String
      /// How many objects the file says that there are; nil where that cannot be read.
      public let expectedCount: Int?
      /// How many objects were saved.
      public let savedCount: Int
      /// Values that could not be read, and are those of a new object now.
      public let lostValueCount: Int
    }

    /// The classes, by name.
    public let classes: [SavedClass]
    /// The parts of the file that could not be read, the first few.
    public let problems: [String]
    /// Whether the newest version could not be opened, and an earlier one was saved.
    public let isOlderVersion: Bool
    /// Whether the roots of the file are gone, and objects were found among its bytes.
    public let isFound: Bool
    /// Whether everything was saved that the file says that there is.
    public let isWhole: Bool

    /// The number of objects that were saved.
    public var savedCount: Int { classes.reduce(0) { $0 + $1.savedCount } }

    init(_ report: RealmSalvage.SalvageReport) {
      classes = report.classes.map {
        SavedClass(
          name: $0.name, expectedCount: $0.expected, savedCount: $0.saved,
          lostValueCount: $0.lostValues)
      }
      problems = report.problems
      isOlderVersion = report.isOlderVersion
      isFound = report.isFound
      isWhole = report.isWhole
    }
  }
}
