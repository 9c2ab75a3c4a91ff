// SPDX-License-Identifier: Apache-2.0

// What the parts of device sync cost: one row a part, each in a file of its own.

/// Runs the rows that the command line names, or all.
@main
enum RealmSync {
  static let rows: [SyncRow] = [
    .transform, .transformSingly, .parse, .encode, .record, .insertLocally, .insertRecorded,
    .bootstrap, .integration,
  ]

  static func main() async throws {
    let names = CommandLine.arguments.dropFirst()
    func isWanted(_ name: String) -> Bool {
      names.isEmpty || names.contains(where: { name.hasPrefix($0) })
    }
    for row in rows where isWanted(row.name) {
      let rates = (0..<5).map { _ in row.measure() }.sorted()
      let median = rates[rates.count / 2]
      print(row.name, "\(Int(median)) \(row.unit)/s", "(best \(Int(rates[rates.count - 1])))")
    }
    #if Server
    for row in ServerRow.all where isWanted(row.name) {
      for line in try await row.measure() { print(row.name + ",", line) }
    }
    #endif
  }
}
