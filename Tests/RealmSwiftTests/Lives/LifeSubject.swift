// SPDX-License-Identifier: Apache-2.0

// What is observed in a life, and which of the model's differences an observer of it is told.

import RealmTestSupport

/// An element of an observed collection.
enum LifeRow: Hashable, Comparable, Sendable {
  case item(Int)
  case number(Int)
  case text(String)
  /// The items that follow are of this kind.
  case section(Int)
}

/// Something that is observed.
enum LifeSubject: Hashable, Sendable {
  /// All items, in the order of the table.
  case all
  /// Items of some kinds by id, with their names as the key path.
  case named
  /// All items by kind, so that they move.
  case byKind
  /// The same in sections.
  case sections
  /// The collections of the first holder.
  case items
  case numbers
  case tags
  case marks
  /// The items that link to the first holder.
  case owned
  case item(Int)

  static func random(_ random: inout SeededGenerator) -> LifeSubject {
    let collections: [LifeSubject] = [
      .all, .named, .byKind, .sections, .items, .numbers, .tags, .marks, .owned,
    ]
    if random.chance(0.25) { return .item(Int.random(in: 0..<LifeEdit.itemCount, using: &random)) }
    return collections.randomElement(using: &random) ?? .all
  }

  /// Whether elements occur once and keep their order, so that one change set is right, and no
  /// other one.
  var isExact: Bool {
    switch self {
    case .all, .named, .tags: true
    default: false
    }
  }

  /// Whether the elements have an order that the model knows.
  var isOrdered: Bool {
    switch self {
    case .all, .owned, .tags, .marks, .item: false
    default: true
    }
  }

  /// The elements in a version, in their order if it is known.
  func rows(in state: LifeState) -> [LifeRow] {
    switch self {
    case .all: state.ids { _ in true }.map(LifeRow.item)
    case .named: state.ids { $0.kind > 0 }.map(LifeRow.item)
    case .byKind: state.byKind.map(LifeRow.item)
    case .sections: Self.sections(of: state)
    case .items: (state.holders[0]?.items ?? []).map(LifeRow.item)
    case .numbers: (state.holders[0]?.numbers ?? []).map(LifeRow.number)
    case .tags: (state.holders[0]?.tags.sorted() ?? []).map(LifeRow.text)
    case .marks: (state.holders[0]?.marks.keys.sorted() ?? []).map(LifeRow.text)
    case .owned: state.ids { $0.holder == 0 }.map(LifeRow.item)
    case .item(let id): state.items[id] == nil ? [] : [.item(id)]
    }
  }

  private static func sections(of state: LifeState) -> [LifeRow] {
    Set(state.items.values.map(\.kind)).sorted().flatMap { kind in
      [.section(kind)] + state.ids { $0.kind == kind }.map(LifeRow.item)
    }
  }

  /// Whether an observer is told that an element was modified.
  func isModified(
    _ row: LifeRow, _ touched: [LifeKey: Set<String>], in state: LifeState
  ) -> Bool {
    switch (self, row) {
    case (.named, .item(let id)): touched[.item(id)]?.contains("name") == true
    case (.item, .item(let id)): touched[.item(id)] != nil
    case (_, .item(let id)): Self.isReached(.item(id), touched, state, links: Self.linkCount)
    case (.marks, .text(let key)): touched[.holder(0)]?.contains(key) == true
    default: false
    }
  }

  /// Over how many links observers look.
  static let linkCount = 4

  /// Whether an object was touched, or one that so many links lead to.
  static func isReached(
    _ key: LifeKey, _ touched: [LifeKey: Set<String>], _ state: LifeState, links: Int
  ) -> Bool {
    if touched[key] != nil { return true }
    if links == 0 { return false }
    let next: [LifeKey]
    switch key {
    case .item(let id): next = state.items[id]?.holder.map { [.holder($0)] } ?? []
    case .holder(let id): next = (state.holders[id]?.items ?? []).map(LifeKey.item)
    case .note: next = []
    }
    return next.contains { isReached($0, touched, state, links: links - 1) }
  }
}
