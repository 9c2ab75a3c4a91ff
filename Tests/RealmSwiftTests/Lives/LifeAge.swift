// SPDX-License-Identifier: Apache-2.0

// The shapes that the classes of a program have during its life, and what leads from one to
// another.

import RealmTestSupport

/// A shape of the classes; migrations lead from any to any other.
enum LifeAge: Int, CaseIterable, Sendable {
  case first
  /// Names and levels have another property and another type, items have loads, there are no notes.
  case second
  /// As the first one, with loads, and with optional names and levels.
  case third

  var hasNotes: Bool { self != .second }
  var hasLoads: Bool { self != .first }

  /// The name in the file of a property of an item.
  func property(_ name: String) -> String {
    switch name {
    case "name": self == .second ? "label" : "title"
    case "level": "rank"
    case "load": "weight"
    case "holder": "owner"
    default: name
    }
  }

  /// What an item's properties are when small numbers are set, as far as the shape can hold it.
  func name(_ value: Int) -> String? { self == .third && value == 0 ? nil : "n\(value)" }
  func level(_ value: Int) -> Int? { self != .first && value == 0 ? nil : value }
  func load(_ value: Int) -> Double? { hasLoads && value > 0 ? Double(value) / 2 : nil }

  /// What they are in a new item.
  var newName: String? { self == .third ? nil : "" }
  var newLevel: Int? { self == .first ? 0 : nil }
}

/// What a migration does beside changing the shape.
struct LifeMigration: Equatable, Sendable {
  var age: LifeAge
  /// Whether values of renamed properties and of those with another type are brought over.
  var copies: Bool
  var dropsNotes: Bool
  /// Whether it makes an item, if that is not there, and deletes those of a kind.
  var adds: Bool
  var deletes: Bool

  static let addedItem = 11
  static let deletedKind = 0

  var hasBlock: Bool { copies || dropsNotes || adds || deletes }

  static func random(_ random: inout SeededGenerator) -> LifeMigration {
    LifeMigration(
      age: LifeAge.allCases.randomElement(using: &random) ?? .first, copies: random.chance(0.7),
      dropsNotes: random.chance(0.3), adds: random.chance(0.3), deletes: random.chance(0.2))
  }
}
