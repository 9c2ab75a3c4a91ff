// SPDX-License-Identifier: Apache-2.0

// What the database alone does, for comparison with `durable` on it.

#if Server
extension ServerRow {
  /// Clients of pgbench make transactions of the statements of an append with one change: each
  /// about rows of its own, and all about one head, as a realm has it.
  static var database: ServerRow {
    ServerRow(name: "database") { options, print in
      guard options.stores.contains(.postgres) else { return }
      let database = try MeasuredDatabase.running()
      for isShared in [false, true] {
        var runs: [(rate: Double, microseconds: Double)] = []
        for _ in 0..<options.runs {
          let before = try database.processorTime()
          let rate = try database.benchmark(
            clients: 64, isShared: isShared, seconds: options.seconds)
          let time = try database.processorTime() - before
          runs.append((rate, time.inSeconds * 1e6 / (rate * Double(options.seconds))))
        }
        runs.sort { $0.rate < $1.rate }
        let median = runs[runs.count / 2]
        print(
          "pgbench, 64 clients, \(isShared ? "one head" : "a head each"): "
            + "\(Int(median.rate)) transactions/s (best \(Int(runs[runs.count - 1].rate)))")
      }
    }
  }
}
#endif
