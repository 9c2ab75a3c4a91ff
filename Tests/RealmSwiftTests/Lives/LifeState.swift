// SPDX-License-Identifier: Apache-2.0

// What a realm holds, as plain values.

/// The objects of a life.
struct LifeState: Equatable, Sendable {
  struct Item: Equatable, Sendable {
    var name: String?
    var level: Int?
    var load: Double?
    var kind: Int
    var holder: Int?
  }

  struct Holder: Equatable, Sendable {
    var items: [Int] = []
    var numbers: [Int] = []
    var tags: Set<String> = []
    var marks: [String: Int] = [:]
  }

  var items: [Int: Item] = [:]
  var holders: [Int: Holder] = [:]
  /// The items of the notes, which have no primary key, by their numbers.
  var notes: [Int: Int?] = [:]

  /// What the classes of an age show of it.
  func visible(in age: LifeAge) -> LifeState {
    var state = self
    if !age.hasNotes { state.notes = [:] }
    return state
  }

  /// The ids of items that fulfil a condition, in order.
  func ids(_ condition: (Item) -> Bool) -> [Int] {
    items.filter { condition($0.value) }.keys.sorted()
  }

  /// The ids of all items by kind, then by id.
  var byKind: [Int] {
    items.sorted { ($0.value.kind, $0.key) < ($1.value.kind, $1.key) }.map(\.key)
  }

  /// What the queries of `LifeClasses` have to answer.
  func answers(in age: LifeAge) -> [String] {
    let first = holders[0] ?? Holder()
    let tagged = holders.filter { $0.value.tags.contains("t1") }.keys.sorted()
    let holding = holders.filter { $0.value.items.contains { items[$0]?.kind == 2 } }.keys.sorted()
    var answers = [
      "\(ids { $0.kind == 1 }.count)", "\(ids { $0.name == "n1" })", "\(ids { $0.holder == 0 })",
      "\(ids { $0.holder != nil && $0.kind > 0 })", "\(byKind)",
      "\(first.items.filter { items[$0]?.kind == 1 })", "\(first.numbers.reduce(0, +))",
      "\(Set(items.values.map(\.kind)).count)", "\(tagged)", "\(holding)",
    ]
    if age.hasNotes {
      answers.append("\(notes.filter { $0.value.flatMap { items[$0] }?.kind == 0 }.keys.sorted())")
    }
    return answers
  }

  /// What differs, for messages.
  func differences(from other: LifeState) -> String {
    func list<Value: Equatable>(
      _ name: String, _ mine: [Int: Value], _ others: [Int: Value]
    ) -> [String] {
      Set(mine.keys).union(others.keys).sorted().filter { mine[$0] != others[$0] }.map { key in
        func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "none" }
        return "\(name) \(key): \(text(mine[key])), not \(text(others[key]))"
      }
    }
    let all =
      list("item", items, other.items) + list("holder", holders, other.holders)
      + list("note", notes, other.notes)
    return all.joined(separator: "; ")
  }
}
