// SPDX-License-Identifier: Apache-2.0

// One step of a life. Like an edit, it means something in every state.

import RealmTestSupport

/// How a transaction is made, and how it ends.
enum LifeWay: CaseIterable, Sendable {
  case block
  case beginAndCommit
  /// Observers are not notified.
  case skipping
  case throwing
  case cancelling
  /// A part of it throws and is caught: what was done stays.
  case joining
  case asynchronous
  /// Two transactions that share a commit.
  case grouped
  /// By `Realm.write(to:)`.
  case detached
  case onActor
  case onThread

  var isUndone: Bool { self == .throwing || self == .cancelling }
}

/// A step of a life.
enum LifeStep: Sendable {
  case write(place: Int, LifeWay, [LifeEdit])
  case refresh(place: Int)
  case freeze(place: Int)
  case thaw(place: Int, Int)
  case release(place: Int, Int)
  case observe(place: Int, LifeSubject)
  case stop(place: Int, Int)
  case invalidate(place: Int)
  case compact(place: Int)
  case reopen(durability: Int, compacting: Bool)
  case migrate(LifeMigration)
  case failToMigrate(LifeMigration)
  case rewrite(key: Int)
  /// Goes on with a copy of what a place shows.
  case exchange(place: Int, key: Int)
  case backUp(place: Int)
  /// Goes back to the backup.
  case restore
  case verify

  /// Its name, for counts.
  var name: String { "\("\(self)".prefix { $0 != "(" })" }

  static func random(_ random: inout SeededGenerator) -> LifeStep {
    func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    let place = below(LifeRun.placeCount)
    switch below(100) {
    case 0..<50:
      let way: LifeWay =
        random.chance(0.4) ? .block : LifeWay.allCases.randomElement(using: &random) ?? .block
      return .write(place: place, way, (0..<1 + below(6)).map { _ in LifeEdit.random(&random) })
    case 50..<60: return .refresh(place: place)
    case 60..<65: return .freeze(place: place)
    case 65..<69: return .thaw(place: place, below(4))
    case 69, 70: return .release(place: place, below(4))
    case 71..<82: return .observe(place: place, LifeSubject.random(&random))
    case 82: return .stop(place: place, below(6))
    case 83: return .invalidate(place: place)
    case 84, 85: return .compact(place: place)
    case 86, 87: return .reopen(durability: below(3), compacting: random.chance(0.5))
    case 88..<91: return .migrate(LifeMigration.random(&random))
    case 91: return .failToMigrate(LifeMigration.random(&random))
    case 92: return .rewrite(key: below(3))
    case 93, 94: return .exchange(place: place, key: below(3))
    case 95, 96: return .backUp(place: place)
    case 97: return .restore
    default: return .verify
    }
  }

  /// A change of an item that is as far from those that are observed as observers look.
  ///
  /// By chance there are shorter ways to nearly all items that change.
  private static func farChange(_ random: inout SeededGenerator) -> [LifeStep] {
    let items = Array((0..<LifeEdit.itemCount).shuffled(using: &random).prefix(3))
    let holders = (0..<LifeEdit.holderCount).shuffled(using: &random)
    let (place, value) = (Int.random(in: 0..<LifeRun.placeCount, using: &random), items[0] % 5)
    let observed: [LifeSubject] = [.all, .byKind, .sections]
    let chain: [LifeEdit] =
      items.map { .put(item: $0, value: value, all: false) }
      + holders.filter { $0 > 0 }.map { .addHolder($0) } + [
        .holder(item: items[0], holder: holders[0]),
        .insert(holder: holders[0], item: items[1], place: value),
        .holder(item: items[1], holder: holders[1]),
        .insert(holder: holders[1], item: items[2], place: value),
      ]
    return [
      .observe(place: place, observed.randomElement(using: &random) ?? .all),
      .write(place: place, .block, chain), .refresh(place: place),
      .write(place: place, .block, [.level(item: items[2], value: value)]),
      .refresh(place: place),
    ]
  }

  /// The steps of a life.
  static func life(_ seed: UInt64, count: Int) -> [LifeStep] {
    var random = SeededGenerator(seed: seed)
    var steps: [LifeStep] = []
    while steps.count < count {
      steps += random.chance(0.05) ? farChange(&random) : [.random(&random)]
    }
    return Array(steps.prefix(count))
  }

  /// The same step with one edit less, for making a failing life shorter.
  var shorter: [LifeStep] {
    guard case .write(let place, let way, let edits) = self else { return [] }
    let plain: [LifeStep] = way == .block ? [] : [.write(place: place, .block, edits)]
    return plain
      + edits.indices.map { index in
        var fewer = edits
        fewer.remove(at: index)
        return .write(place: place, way, fewer)
      }
  }
}
