// SPDX-License-Identifier: Apache-2.0

// The command: measures how long observers wait, and what actors pay. Everything is in memory.
//
//   realm-latency [rows ...]      sizes of the observed tables; 1000 and 1000000 if none is given
//   realm-latency --results       results without observers, and those read while writing, alone

import Foundation
import RealmSwift

@main
struct RealmLatency {
  private static let usage = """
    usage: realm-latency [ROWS]... | --results

      ROWS       sizes of the observed tables (1000 and 1000000)
      --results  results without observers, and those read while writing, alone

    """

  @MainActor
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.contains("--help") || words.contains("-h") { return print(usage, terminator: "") }
    let sizes = words.compactMap { Int($0) }.filter { $0 > 0 }
    if words != ["--results"], sizes.count < words.count {
      let unknown = words.first { Int($0) ?? 0 <= 0 } ?? ""
      FileHandle.standardError.write(Data("realm-latency: Unknown: \(unknown)\n\n\(usage)".utf8))
      exit(64)
    }
    if words != ["--results"] {
      try await notifications(sizes.isEmpty ? [1000, 1_000_000] : sizes)
      try await costs()
    }
    try await print(ResultsCosts.afterCommits(rows: 1_000_000).text)
    try await print(ResultsCosts.afterLargeCommits(rows: 1_000_000).text)
    try await print(ResultsCosts.whileWriting(rows: 100_000).text)
  }

  @MainActor
  private static func notifications(_ sizes: [Int]) async throws {
    var table = Table(
      "from a commit to the observer, in µs", "rows", "own: begin", "own: return", "90 %",
      "other thread: begin", "other thread: return", "90 %")
    for rows in sizes {
      let latency = try await NotificationLatency(rows: rows)
      for observer in NotificationLatency.Observer.allCases {
        await latency.observe(observer)
        try await add(observer.rawValue, rows, latency, to: &table)
        latency.stop()
      }
      for bystanders in NotificationLatency.Bystanders.allCases {
        await latency.observe(.table)
        try await latency.add(bystanders)
        try await add(bystanders.rawValue, rows, latency, to: &table)
        latency.stop()
      }
    }
    print(table.text)
  }

  @MainActor
  private static func add(
    _ name: String, _ rows: Int, _ latency: NotificationLatency, to table: inout Table
  ) async throws {
    let own = try await latency.measure(300, elsewhere: false)
    let other = try await latency.measure(300, elsewhere: true)
    table.add(
      name, "\(rows)", microseconds(own.fromCommit.median), microseconds(own.fromReturn.median),
      microseconds(own.fromReturn.quantile(0.9)), microseconds(other.fromCommit.median),
      microseconds(other.fromReturn.median), microseconds(other.fromReturn.quantile(0.9)))
  }

  @MainActor
  private static func costs() async throws {
    let configuration = freshConfiguration()
    let realm = try await Realm(configuration: configuration)
    try insertRows(1000, into: realm)
    let owner = Owner()
    try await owner.open(configuration)
    var table = Table("what it costs, in ns", "median")
    func add(_ name: String, per count: Int, _ body: () async throws -> Duration) async throws {
      var samples = Samples()
      for _ in 0..<9 { samples.add(try await body(), per: count) }
      table.add(name, String(format: samples.median < 100 ? "%.2f" : "%.0f", samples.median))
    }
    let reads = 2_000_000
    if let todo = realm.objects(WatchedTodo.self).first {
      try await add("read a property, checked: main actor on the first thread", per: reads) {
        readPriority(of: todo, reads).0
      }
    }
    try await add("read a property, checked: actor with a thread", per: reads) {
      try await ThreadOwner().reads(reads, configuration).0
    }
    try await add("read a property, checked: actor", per: reads) { await owner.reads(reads).0 }
    try await add("Realm(actor:) of a realm that is open", per: 20_000) {
      try await owner.opens(20_000, configuration)
    }
    try await add("asyncWrite of one property, in memory", per: 2000) {
      try await owner.writes(2000)
    }
    let hops = try await owner.hops(2000, to: Listener())
    table.add("from a commit's return to an observer on another actor", "\(Int(hops.median))")
    print(table.text)
  }
}
