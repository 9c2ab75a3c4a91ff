// SPDX-License-Identifier: Apache-2.0

// One change within a transaction. It means something in every state, so that a failing life can be
// made shorter: what is not there is not changed, and places are counted around.

import RealmTestSupport

/// A change of the objects of a life, by small numbers, so that changes meet.
enum LifeEdit: Sendable {
  /// Creates or updates an item: with all values, or with those that differ.
  case put(item: Int, value: Int, all: Bool)
  case delete(item: Int)
  case deleteKind(Int)
  case name(item: Int, value: Int)
  case level(item: Int, value: Int)
  case load(item: Int, value: Int)
  case kind(item: Int, value: Int)
  case holder(item: Int, holder: Int?)
  case addHolder(Int)
  case deleteHolder(Int)
  case insert(holder: Int, item: Int, place: Int)
  case remove(holder: Int, place: Int)
  case move(holder: Int, from: Int, to: Int)
  case number(holder: Int, value: Int)
  case dropNumber(holder: Int, place: Int)
  case tag(holder: Int, value: Int)
  case untag(holder: Int, value: Int)
  case mark(holder: Int, key: Int, value: Int?)
  case note(item: Int)
  case dropNote(place: Int)
  /// Values that do not fit: nothing is created.
  case refused(item: Int)

  static let itemCount = 12
  /// The first of them is always there.
  static let holderCount = 3
  static let kindCount = 3

  static func random(_ random: inout SeededGenerator) -> LifeEdit {
    func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    let item = below(itemCount)
    let value = below(5)
    // Most is done to the holder that is observed.
    let holder = random.chance(0.4) ? 0 : below(holderCount)
    switch below(48) {
    case 0..<8: return .put(item: item, value: value, all: random.chance(0.3))
    case 8..<11: return .delete(item: item)
    case 11: return random.chance(0.3) ? .deleteKind(value % kindCount) : .refused(item: item)
    case 12, 13: return .name(item: item, value: value)
    case 14, 15: return .level(item: item, value: value)
    case 16: return .load(item: item, value: value)
    case 17, 18: return .kind(item: item, value: value % kindCount)
    case 19..<22, 40..<44: return .holder(item: item, holder: random.chance(0.2) ? nil : holder)
    case 22, 23: return .addHolder(1 + below(holderCount - 1))
    case 24: return .deleteHolder(1 + below(holderCount - 1))
    case 25..<28, 44..<48: return .insert(holder: holder, item: item, place: below(6))
    case 28: return .remove(holder: holder, place: below(6))
    case 29: return .move(holder: holder, from: below(6), to: below(6))
    case 30, 31: return .number(holder: holder, value: value)
    case 32: return .dropNumber(holder: holder, place: below(6))
    case 33: return .tag(holder: holder, value: value)
    case 34: return .untag(holder: holder, value: value)
    case 35, 36:
      return .mark(holder: holder, key: below(4), value: random.chance(0.3) ? nil : value)
    case 37, 38: return .note(item: item)
    default: return .dropNote(place: below(6))
    }
  }
}
