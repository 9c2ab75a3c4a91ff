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
  mutating func take(_ words: [String]) throws(SyncMistake) -> [String] {
    var names: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        names.append(word)
        continue
      }
      guard let value = rest.popFirst() else {
        let isKnown = word == "--store" || word == "--mode" || Self.numbers[word] != nil
        throw SyncMistake(
          text: isKnown ? "\(word) needs a value." : "There is no option \(word).")
      }
      try set(word, value)
    }
    return names
  }

  private static let numbers: [String: any WritableKeyPath<SyncOptions, Int> & Sendable] = [
    "--clients": \.clients, "--clients-per-process": \.clientsPerProcess, "--runs": \.runs,
    "--seconds": \.seconds, "--down-seconds": \.downSeconds, "--days": \.days,
    "--transactions": \.transactionsPerDay,
  ]

  private mutating func set(_ option: String, _ value: String) throws(SyncMistake) {
    switch option {
    case "--store":
      stores = MeasuredStore.allCases.filter { value == "all" || value == $0.rawValue }
      if stores.isEmpty { throw SyncMistake(text: "--store knows no '\(value)'.") }
    case "--mode":
      modes = modes.filter { value == "\($0)" }
      if modes.isEmpty { throw SyncMistake(text: "--mode knows no '\(value)'.") }
    default:
      guard let path = Self.numbers[option] else {
        throw SyncMistake(text: "There is no option \(option).")
      }
      guard let number = Int(value), number > 0 else {
        throw SyncMistake(text: "\(option) needs a number above zero, not '\(value)'.")
      }
      self[keyPath: path] = number
    }
  }
}
#endif
