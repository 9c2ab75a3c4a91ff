// SPDX-License-Identifier: Apache-2.0

// How often each kind of instruction occurs in random tests, so that none is left out unnoticed.

import RealmSyncProtocol

/// Counts instructions by kind, with marks for long paths, defaults and the kind of value.
struct InstructionCount {
  private(set) var counts: [String: Int] = [:]

  mutating func add(_ changeset: Changeset) {
    for instruction in changeset.instructions {
      let line = changeset.line(instruction)
      var name = String(line.prefix { $0 != " " })
      if let path = instruction.path { name += " depth \(min(path.elements.count, 4))" }
      if let value = instruction.payload { name += " \(value.type)" }
      counts[name, default: 0] += 1
    }
  }

  mutating func add(_ other: InstructionCount) {
    counts.merge(other.counts) { $0 + $1 }
  }

  func has(_ prefix: String, _ part: String = "") -> Bool {
    counts.keys.contains { $0.hasPrefix(prefix) && $0.contains(part) }
  }
}
