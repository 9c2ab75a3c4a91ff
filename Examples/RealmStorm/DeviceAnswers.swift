// SPDX-License-Identifier: Apache-2.0

// The lines of a device's process.

#if Server
import Synchronization

/// What the process of a device has said about itself; the rest goes to the ledger.
final class DeviceAnswers: Sendable {
  private struct State {
    var userID = ""
    var isReady = false
    /// The last answer to each request.
    var texts: [String: String] = [:]
  }

  private let name: String
  private let ledger: Ledger
  private let log: StormLog
  private let state = Mutex(State())

  init(_ name: String, _ ledger: Ledger, _ log: StormLog) {
    self.name = name
    self.ledger = ledger
    self.log = log
  }

  /// Whether the process has its realms open.
  var isReady: Bool { state.withLock { $0.isReady } }

  /// The id of its user, also while no process runs.
  var userID: String { state.withLock { $0.userID } }

  subscript(request: String) -> String? { state.withLock { $0.texts[request] } }

  /// A new process starts.
  func begin() {
    state.withLock {
      $0.isReady = false
      $0.texts = [:]
    }
  }

  func forget(_ request: String) { state.withLock { $0.texts[request] = nil } }

  func take(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let (verb, rest) = (words.first ?? "", words.count == 2 ? words[1] : "")
    if verb != "arrived", verb != "keys", verb != "marks" { log.add(name, line) }
    switch verb {
    case "ready":
      state.withLock {
        $0.isReady = true
        $0.userID = rest
      }
    case "digest", "keys", "marks", "content": state.withLock { $0.texts[verb] = rest }
    default: ledger.take(verb, rest)
    }
  }
}
#endif
