// SPDX-License-Identifier: Apache-2.0

// What checksums cost a commit: the same commits with and without them, on files of the disk.

import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport

/// Commits to two files in turns, of which one has checksums.
///
/// They do not wait for the disk, so that they show the work of the processor.
struct ChecksumRow: Sendable {
  private static let rowCount = 100_000
  private static let pairCount = 200

  let changeCount: Int
  /// The commits of one turn: a multiple of those that follow one another without a sync.
  private let commitCount: Int

  static let all = [
    ChecksumRow(changeCount: 1, commitCount: 192), ChecksumRow(changeCount: 1000, commitCount: 16),
  ]

  var name: String { "commit of \(changeCount), with checksums" }

  /// The processor time of a commit with checksums, and of one without, in microseconds.
  ///
  /// Each is the mean of the fastest quarter of the turns: what else the machine does makes turns
  /// longer, and none shorter.
  func times() throws -> (with: Double, without: Double) {
    var files = try [true, false].map { try File(writesChecksums: $0) }
    var times: [[Double]] = [[], []]
    for pair in 0..<Self.pairCount {
      // What the first one of a pair leaves in the caches is the other's in the next pair.
      for index in pair & 1 == 0 ? [0, 1] : [1, 0] {
        times[index].append(
          try files[index].time(ofCommits: commitCount, changing: changeCount))
      }
    }
    let means = times.map { times in
      let fastest = times.sorted().prefix(times.count / 4)
      return fastest.reduce(0, +) / Double(fastest.count * commitCount) / 1000
    }
    return (means[0], means[1])
  }

  /// A file with a table of integers.
  private struct File {
    private let directory: TemporaryDirectory
    private let file: DatabaseFile
    private var keys: [ObjectKey] = []
    private var commit = 0

    init(writesChecksums: Bool) throws {
      directory = try TemporaryDirectory()
      var options = OpenOptions()
      options.writesChecksums = writesChecksums
      file = try DatabaseFile.open(path: directory.file("a.realm"), options: options)
      var made: [ObjectKey] = []
      try write { group in
        let table = try group.createTable(named: "class_Item")
        let column = try table.addColumn(named: "count", type: .int)
        for number in 0..<ChecksumRow.rowCount {
          let (key, _) = try table.createObject()
          try table.set(IntegerLeaf.self, to: Int64(number), column, key)
          made.append(key)
        }
      }
      keys = made
    }

    /// The processor time, in nanoseconds, that commits of objects all over the table take.
    mutating func time(ofCommits count: Int, changing changeCount: Int) throws -> Double {
      let start = Self.processorTime
      for _ in 0..<count {
        commit += 1
        try write { group in
          guard let table = try group.table(named: "class_Item"),
            let column = table.schema.column(named: "count")
          else { preconditionFailure("the class is missing") }
          for change in 0..<changeCount {
            let key = keys[(commit &* 7919 &+ change &* 104_729) % keys.count]
            try table.set(IntegerLeaf.self, to: Int64(commit &+ change), column, key)
          }
        }
      }
      return Double(Self.processorTime - start)
    }

    private func write(_ body: (WriteGroup) throws -> Void) throws {
      let transaction = try file.beginWrite()
      transaction.durability = .deferred
      let group = try WriteGroup(transaction)
      try body(group)
      _ = try group.commit()
    }

    /// The processor time of the thread, in nanoseconds.
    private static var processorTime: Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
  }
}
