// SPDX-License-Identifier: Apache-2.0

// What checksums cost a commit: the same commits with and without them, on a file of the disk.

import RealmStorage
import RealmTables
import RealmTestSupport

extension SyncRow {
  private static let rowCount = 100_000

  /// The rows of commits: of one object, and of a thousand. They do not wait for the disk, so that
  /// they show the work of the processor; a commit that waits takes a hundred times as long.
  static var checksums: [SyncRow] {
    [(1, 4000), (1000, 100)].flatMap { changeCount, commitCount in
      [true, false].map { writesChecksums in
        SyncRow(
          name: "commit of \(changeCount), \(writesChecksums ? "with" : "without") checksums",
          unit: "commits"
        ) {
          do {
            return try rate(
              ofCommits: commitCount, changing: changeCount, writesChecksums: writesChecksums)
          } catch { preconditionFailure("the work fails: \(error)") }
        }
      }
    }
  }

  private static func rate(
    ofCommits commitCount: Int, changing changeCount: Int, writesChecksums: Bool
  ) throws -> Double {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    var options = OpenOptions()
    options.writesChecksums = writesChecksums
    let file = try DatabaseFile.open(path: directory.file("a.realm"), options: options)
    var keys: [ObjectKey] = []
    try write(file) { group in
      let table = try group.createTable(named: "class_Item")
      let column = try table.addColumn(named: "count", type: .int)
      for number in 0..<rowCount {
        let (key, _) = try table.createObject()
        try table.set(IntegerLeaf.self, to: Int64(number), column, key)
        keys.append(key)
      }
    }
    var outcome: Result<Void, any Error> = .success(())
    let rate = rate(of: commitCount) {
      outcome = Result {
        for commit in 0..<commitCount {
          try write(file) { group in
            guard let table = try group.table(named: "class_Item"),
              let column = table.schema.column(named: "count")
            else { preconditionFailure("the class is missing") }
            for change in 0..<changeCount {
              let key = keys[(commit &* 7919 &+ change &* 104_729) % keys.count]
              try table.set(IntegerLeaf.self, to: Int64(commit &+ change), column, key)
            }
          }
        }
      }
    }
    try outcome.get()
    return rate
  }

  private static func write(
    _ file: DatabaseFile, _ body: (WriteGroup) throws -> Void
  ) throws {
    let transaction = try file.beginWrite()
    transaction.durability = .deferred
    let group = try WriteGroup(transaction)
    try body(group)
    _ = try group.commit()
  }
}
