// SPDX-License-Identifier: Apache-2.0

// What the command line asks for.

#if Server
import RealmSyncProtocol

/// The options of the rows with a server.
struct SyncOptions: Sendable {
  var stores = [MeasuredStore.embedded]
  var modes = [SyncMode.partition, .flexible]
  /// The clients of a crowd.
  var clients = 10_000
  /// The most sockets of one process of a crowd.
  var clientsPerProcess = 5_000
  /// The runs of which the median is printed.
  var runs = 3
  /// The seconds of a run.
  var seconds = 3
  /// The seconds for which a server of `restart` is away.
  var downSeconds = 10
  /// The days of `month`, and the transactions of each.
  var days = 30
  var transactionsPerDay = 2_000

  /// Reads options, which begin with two hyphens, and have a value each. Returns the other words.
  mutating func take(_ words: [String]) throws -> [String] {
    var names: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        names.append(word)
        continue
      }
      guard let value = rest.popFirst(), set(word, value) else {
        throw MeasuredServer.Failure(description: "unknown option or value: \(word)")
      }
    }
    return names
  }

  private mutating func set(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--store":
      stores = MeasuredStore.allCases.filter { value == "all" || value == $0.rawValue }
      return !stores.isEmpty
    case "--mode":
      modes = modes.filter { value == "\($0)" }
      return !modes.isEmpty
    default: break
    }
    let numbers: [String: WritableKeyPath<SyncOptions, Int>] = [
      "--clients": \.clients, "--clients-per-process": \.clientsPerProcess, "--runs": \.runs,
      "--seconds": \.seconds, "--down-seconds": \.downSeconds, "--days": \.days,
      "--transactions": \.transactionsPerDay,
    ]
    guard let path = numbers[option], let number = Int(value), number > 0 else { return false }
    self[keyPath: path] = number
    return true
  }
}
#endif
