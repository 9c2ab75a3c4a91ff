// SPDX-License-Identifier: Apache-2.0

// The rows that every engine stores: a pure function of their index, so that figures of different
// engines and different days mean the same work.

/// One to-do.
package struct BenchmarkRow: Sendable {
  package var id: Int
  package var name: String
  package var owner: String
  package var status: String
  package var priority: Int
  package var score: Double
  package var isDone: Bool

  package init(
    id: Int, name: String, owner: String, status: String, priority: Int, score: Double,
    isDone: Bool
  ) {
    self.id = id
    self.name = name
    self.owner = owner
    self.status = status
    self.priority = priority
    self.score = score
    self.isDone = isDone
  }
}

/// All rows, in memory before anything is timed, and what the engines must answer about them.
package final class BenchmarkData {
  package private(set) var rows: [BenchmarkRow]
  /// Random row indices for look-ups.
  package let randomRows: [Int]
  /// What looking up all random rows by name must sum up to: that class is never updated.
  package let namedPrioritySum: Int

  package static let range = 250..<500
  package static let owner = "owner_42"

  package init(count: Int) {
    precondition(count > 0)
    let rows = (0..<count).map(Self.row)
    let randomRows = (0..<count).map { Int(Self.hash(UInt64($0), 0, seed: 7) % UInt64(count)) }
    self.rows = rows
    self.randomRows = randomRows
    namedPrioritySum = randomRows.reduce(0) { $0 + rows[$1].priority }
  }

  package var count: Int { rows.count }

  // What a correct engine answers.
  package var prioritySum: Int { rows.reduce(0) { $0 + $1.priority } }
  package var rangeCount: Int { rows.count { Self.range.contains($0.priority) } }
  package var ownerCount: Int { rows.count { $0.owner == Self.owner } }
  /// The bits of the values that iterating reads, combined to one number.
  package var iterationSum: Int {
    rows.reduce(0) { Self.fold($0, $1.priority, $1.name.utf8.count, $1.score) }
  }

  /// The same for the values of the two numbers alone.
  package var valuesSum: Int {
    rows.reduce(0) { Self.fold($0, $1.priority, 0, $1.score) }
  }

  /// Folds what is read of one row into a number, so that no read can be left out.
  @inlinable @inline(__always)
  package static func fold(_ sum: Int, _ priority: Int, _ nameLength: Int, _ score: Double) -> Int {
    sum &+ priority &+ nameLength &+ Int(score)
  }

  /// The one-property updates of a round: which row gets which priority.
  package func updates(round: Int, count: Int) -> [(row: Int, priority: Int)] {
    (0..<count).map { step in
      let index = round * count + step
      let priority = Int(Self.hash(UInt64(index), 1, seed: 7) % 1000)
      return (randomRows[index % randomRows.count], priority)
    }
  }

  /// Makes the updates in the model, after all engines made them.
  package func apply(_ updates: [(row: Int, priority: Int)]) {
    for update in updates {
      rows[update.row].priority = update.priority
    }
  }

  /// Compares the generator with the published values of a million rows.
  package func checkGenerator() {
    precondition(count < 2 || rows[0].name == "task_xheznebirh1")
    precondition(count < 2 || rows[1].name == "task_n31l2vt8gd1")
    precondition(count < 2 || rows[1].score == 513.3961163221494)
    guard count == 1_000_000 else { return }
    precondition(prioritySum == 499_521_211)
    precondition(rows.count { $0.priority == 500 } == 1072)
    precondition(Int(rows.reduce(0) { $0 + $1.score }) == 499_638_761)
  }

  /// The row of an index.
  package static func row(_ index: Int) -> BenchmarkRow {
    let i = UInt64(index)
    let statuses = ["open", "in_progress", "done", "archived"]
    let owner = Int(hash(i, 1) % 100)
    return BenchmarkRow(
      id: index,
      name: name(hash(i, 0)),
      owner: "owner_\(owner / 10)\(owner % 10)",
      status: statuses[Int(hash(i, 2) & 3)],
      priority: Int(hash(i, 3) % 1000),
      score: Double(hash(i, 4) >> 11) * 0x1p-53 * 1000,
      isDone: hash(i, 5) & 1 == 1)
  }

  /// `task_` and eleven digits to the base 36, most significant first.
  private static func name(_ hash: UInt64) -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    var rest = hash % 131_621_703_842_267_136  // 36^11
    var bytes = Array("task_00000000000".utf8)
    for position in (5..<16).reversed() {
      bytes[position] = digits[Int(rest % 36)]
      rest /= 36
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hash(_ i: UInt64, _ k: UInt64, seed: UInt64 = 42) -> UInt64 {
    mix(seed &+ 0x9E37_79B9_7F4A_7C15 &* (8 &* i &+ k &+ 1))
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
