// SPDX-License-Identifier: Apache-2.0

// A table whose memory does not depend on who asks.
//
// Invariants:
// 1. It has at most so many names; the one that was inserted longest ago makes room for a new one.
// 2. `order` has each name with its newest ticket, and at most as many others as the limit.

/// Values by names, of which the oldest make room.
struct BoundedTable<Value: Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var value: Value
    var ticket: UInt64
  }

  private struct Turn: Hashable, Sendable {
    let name: String
    let ticket: UInt64
  }

  private let countMax: Int
  private var entries: [String: Entry] = [:]
  private var order: [Turn] = []
  /// The turns before it are over.
  private var first = 0
  private var lastTicket: UInt64 = 0

  init(countMax: Int) {
    precondition(countMax > 0, "a table without room")
    self.countMax = countMax
  }

  subscript(name: String) -> Value? { entries[name]?.value }

  /// Changes a value, which keeps its age.
  mutating func update(_ name: String, to value: Value) { entries[name]?.value = value }

  /// Stores a value as the youngest.
  mutating func insert(_ name: String, _ value: Value) {
    if entries[name] == nil, entries.count >= countMax { removeOldest() }
    lastTicket += 1
    entries[name] = Entry(value: value, ticket: lastTicket)
    order.append(Turn(name: name, ticket: lastTicket))
    if order.count > countMax * 2 {
      order = order[first...].filter { entries[$0.name]?.ticket == $0.ticket }
      first = 0
    }
  }

  mutating func remove(_ name: String) { entries[name] = nil }

  private mutating func removeOldest() {
    while first < order.count {
      let turn = order[first]
      first += 1
      if entries[turn.name]?.ticket == turn.ticket {
        entries[turn.name] = nil
        return
      }
    }
  }
}
