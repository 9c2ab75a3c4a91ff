// SPDX-License-Identifier: Apache-2.0

// What the devices of a storm have said.

#if Server
import Synchronization

/// Counts, and objects by what is known of them.
final class Ledger: Sendable {
  struct Entries {
    var commitCount = 0
    /// When devices made the objects, on the clock of `StormClock`.
    var committed: [String: Int] = [:]
    /// The times between which the server said that it had the objects, on the clock of
    /// `StormClock`: from the commit to the line of the device, which may be late.
    var acknowledged: [String: ClosedRange<Int>] = [:]
    /// Objects that a device was about to delete.
    var deleted: Set<String> = []
    /// The marks that a device was about to make.
    var marking: Set<String> = []
    /// The marks that a device has made.
    var marked: Set<String> = []
    var refusedCount = 0
    var resetCount = 0
    /// The devices that have put their files aside with what was not uploaded, and the last time.
    var putAside: [String: Int] = [:]
    var putAsideCount = 0
    var loginCount = 0
    /// What went wrong in a way that sync rules out: crashes of devices, resets that failed.
    var failures: [String] = []
    /// In microseconds.
    var latencies: [Int] = []
    /// How often each was reported.
    var errors: [String: Int] = [:]
  }

  private let state = Mutex(Entries())

  var entries: Entries { state.withLock { $0 } }

  /// Takes a line of a device.
  func take(_ verb: String, _ rest: String) {
    let words = rest.split(separator: " ").map(String.init)
    state.withLock { state in
      switch verb {
      case "commit":
        state.commitCount += 1
        if words.count == 2 { state.committed[words[0]] = Int(words[1]) ?? 0 }
      case "deleting": state.deleted.insert(rest)
      case "marking": state.marking.insert(rest)
      case "marked":
        state.commitCount += 1
        state.marked.insert(rest)
      case "refused": state.refusedCount += 1
      case "reset": state.resetCount += 1
      case "aside":
        state.putAsideCount += 1
        if words.count == 2 { state.putAside[words[0]] = Int(words[1]) ?? 0 }
      case "login": state.loginCount += 1
      case "failure": state.failures.append(rest)
      case "arrived": state.latencies.append(Int(rest) ?? 0)
      case "acknowledged":
        guard words.count == 2, let said = Int(words[1]) else { return }
        let committed = state.committed[words[0]] ?? said
        state.acknowledged[words[0]] = min(committed, said)...said
      default: state.errors["\(verb) \(rest)", default: 0] += 1
      }
    }
  }
}
#endif
