// SPDX-License-Identifier: Apache-2.0

// A file that was written for some time, for tests of what a crash leaves of further commits.

import RealmStorage
import RealmTestSupport

/// A file with some history: its free list has holes, so commits are not one run of bytes.
struct OlderFile {
  let contents: [UInt8]
  let numbers: [Int64]

  /// - Parameters:
  ///   - numberCount: How many numbers the file has.
  ///   - commitCount: How many commits made it.
  init(_ numberCount: Int = 2000, commitCount: Int = 60, key: EncryptionKey? = nil) throws {
    let system = try SimulatedFileSystem()
    var random = SeededGenerator(seed: 11)
    var numbers = (0..<numberCount).map { _ in Int64.random(in: 0...1 << 40, using: &random) }
    do {
      let file = try system.openDatabase(key: key)
      for _ in 0..<commitCount {
        numbers[Int.random(in: 0..<numbers.count, using: &random)] &+= 3
        let write = try file.beginWrite()
        try NumberTree.replace(with: numbers, in: write)
        _ = try write.commit(changeset: [1, 2, 3])
      }
    }
    contents = try system.file.contents()
    self.numbers = numbers
  }
}
