// SPDX-License-Identifier: Apache-2.0

// How long a file becomes while somebody keeps an old version.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct PinnedGrowthTests {
  /// What the commits beside the pinned version are.
  enum Course: String, CaseIterable {
    case commits
    /// Several transactions share each commit.
    case groups
    /// Every other commit is of another process.
    case turns
    /// Each commit follows a group that is given up after it was written.
    case discards
  }

  private static let commitCount = 400

  /// The length of the file after many small commits.
  ///
  /// - Parameter isPinned: Whether a frozen version is kept meanwhile.
  private func byteCount(
    _ course: Course, _ durability: CommitDurability, isPinned: Bool
  ) throws -> Int {
    // A deferred commit is settled after a second, beside the transactions of the other process.
    let system = try SimulatedFileSystem(lockDirectory: try TemporaryDirectory())
    let files = try (0..<(course == .turns ? 2 : 1)).map { _ in try system.openDatabase() }
    var numbers = (0..<300).map { Int64($0) << 32 }
    func change(_ index: Int, in write: WriteTransaction) throws {
      write.durability = durability
      numbers[index * 7919 % numbers.count] &+= 1
      try NumberTree.replace(with: numbers, in: write)
    }
    let first = try files[0].beginWrite()
    try change(0, in: first)
    var old: Snapshot? = try first.commit(changeset: [])
    if !isPinned { old = nil }
    let original = numbers
    for index in 1...Self.commitCount {
      let file = files[index % files.count]
      system.file.clearTrace()
      if course == .discards {
        let write = try file.beginWrite()
        write.durability = durability
        try NumberTree.replace(with: [1, 2, 3], in: write)
        try write.writeVersion(changeset: []).discard()
      }
      var write = try file.beginWrite()
      try change(index, in: write)
      if course == .groups {
        var pending = try write.writeVersion(changeset: [])
        for _ in 0..<3 {
          write = try pending.begin()
          try change(index, in: write)
          pending = try write.writeVersion(changeset: [])
        }
        try pending.makeDurable()
      } else {
        _ = try write.commit(changeset: [])
      }
    }
    if let old { try expectEqual(NumberTree.numbers(of: old), original) }
    try expectEqual(NumberTree.numbers(of: files[0].snapshot()), numbers)
    try expectEqual(files[0].check(), [])
    return try system.file.byteCount()
  }

  /// A pinned version costs its own length and no more, with every durability and however the
  /// commits come.
  /// `FreeSpace` 2, `CommitRecord` 1.
  @Test(.heavy, arguments: Course.allCases)
  func aPinnedVersionCostsTheSameWithEveryDurability(_ course: Course) throws {
    for durability in [CommitDurability.twoSyncs, .oneSync, .deferred] {
      let usual = try byteCount(course, durability, isPinned: false)
      let byteCount = try byteCount(course, durability, isPinned: true)
      expectTrue(byteCount <= 2 * usual, "\(durability): \(byteCount), not \(usual)")
    }
  }
}
