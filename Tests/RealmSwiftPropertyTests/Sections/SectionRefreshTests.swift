// SPDX-License-Identifier: Apache-2.0

// Sections that are brought up to date, against sections that are computed from nothing, over
// random commits and within transactions.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Bookcase: Object {
  @Persisted var level = 0
  @Persisted var room: Chamber?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Chamber: Object {
  @Persisted var floor = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Tome: Object {
  @Persisted var number = 0
  @Persisted var kind = 0
  @Persisted var title: String?
  @Persisted var shelf: Bookcase?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Refers to others in ways that changes are not followed back.
private final class Scholar: Object {
  @Persisted var age = 0
  @Persisted var friend: Scholar?
  @Persisted var favourite: AnyRealmValue
  @Persisted(originProperty: "friend") var friends: LinkingObjects<Scholar>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Keeps a copy of sections up to date by what an observer is notified of.
private final class SectionMirror {
  private var copy: [[ObjectKey]] = []
  private(set) var updateCount = 0
  private let name: String
  var token: NotificationToken?

  init(_ name: String) { self.name = name }

  private func read(_ sections: SectionedResults<Int, Tome>) -> [[ObjectKey]] {
    sections.map { $0.map(\._key) }
  }

  func apply(_ change: SectionedResultsChange<SectionedResults<Int, Tome>>) {
    switch change {
    case .initial(let sections): copy = read(sections)
    case .update(let sections, let deletions, let insertions, _, let added, let removed):
      let target = read(sections)
      updateCount += 1
      for path in deletions.reversed() { copy[path[0]].remove(at: path[1]) }
      for section in removed.reversed() {
        #expect(!deletions.contains { $0[0] == section }, "\(name)")
        copy.remove(at: section)
      }
      for section in added { copy.insert([], at: section) }
      for path in insertions {
        copy[path[0]].insert(target[path[0]][path[1]], at: path[1])
      }
      expectEqual(copy, target, "\(name)")
      copy = target
    }
  }
}

struct SectionRefreshTests {
  private static let classes: [ObjectBase.Type] = [
    Bookcase.self, Chamber.self, Tome.self, Scholar.self,
  ]

  private static func sections(_ realm: Realm) -> [SectionedResults<Int, Tome>] {
    let all = realm.objects(Tome.self)
    var sections: [SectionedResults<Int, Tome>] = [all.sectioned(by: \.kind)]
    sections.append(
      all.sectioned(by: { (tome: Tome) -> Int in tome.kind }, sortDescriptors: ["number"]))
    sections.append(
      all.where { $0.kind < 3 }.sectioned(
        by: { (tome: Tome) -> Int in tome.shelf?.room?.floor ?? -1 },
        sortDescriptors: ["title", "kind"]))
    sections.append(
      all.sectioned(
        by: { (tome: Tome) -> Int in tome.shelf?.level ?? 9 }, sortDescriptors: ["shelf.level"]))
    sections.append(
      all.sorted(byKeyPath: "number").limit(20).sectioned(
        by: { (tome: Tome) -> Int in tome.number / 3 }, sortDescriptors: ["kind"]))
    sections.append(
      all.distinct(by: ["number"]).sectioned(
        by: { (tome: Tome) -> Int in tome.number % 4 }, sortDescriptors: ["number"]))
    return sections
  }

  private static func scholars(_ realm: Realm) -> [SectionedResults<Int, Scholar>] {
    let all = realm.objects(Scholar.self)
    let names: [(Scholar) -> Int] = [
      { $0.friends.count }, { $0.friend?.friend?.age ?? 0 },
      { $0.favourite.object(Scholar.self)?.age ?? -1 },
    ]
    return names.map { all.sectioned(by: $0, sortDescriptors: ["age"]) }
  }

  private static func change(_ realm: Realm, _ random: inout SeededGenerator) {
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let tomes = realm.objects(Tome.self)
    let shelves = realm.objects(Bookcase.self)
    let rooms = realm.objects(Chamber.self)
    let scholars = realm.objects(Scholar.self)
    func any<T: Object>(_ results: Results<T>) -> T? {
      results.isEmpty ? nil : results[number(results.count)]
    }
    switch number(12) {
    case 0...2:
      let tome = realm.create(Tome.self, value: ["number": number(12), "kind": number(5)])
      let titles: [String?] = [nil, "a", "b"]
      tome.title = titles[number(3)]
      tome.shelf = any(shelves)
    case 3: if let tome = any(tomes) { realm.delete(tome) }
    case 4: any(tomes)?.kind = number(5)
    case 5: any(tomes)?.number = number(12)
    case 6: any(tomes)?.shelf = any(shelves)
    case 7: any(shelves)?.level = number(4)
    case 8: any(rooms)?.floor = number(3)
    case 9:
      if number(3) == 0 { if let shelf = any(shelves) { realm.delete(shelf) } }
      realm.create(Bookcase.self, value: ["level": number(4)]).room = any(rooms)
    case 10:
      realm.create(Chamber.self, value: ["floor": number(3)])
      any(shelves)?.room = any(rooms)
    default:
      let scholar = realm.create(Scholar.self, value: ["age": number(6)])
      scholar.friend = any(scholars)
      any(scholars)?.friend = any(scholars)
      if let other = any(scholars) { any(scholars)?.favourite = .object(other) }
      any(scholars)?.age = number(6)
    }
  }

  private func compare<Element: Object>(
    _ kept: [SectionedResults<Int, Element>], _ new: [SectionedResults<Int, Element>],
    _ random: inout SeededGenerator, _ text: String
  ) {
    for (index, (kept, new)) in zip(kept, new).enumerated() where random.chance(0.7) {
      expectEqual(kept.allKeys, new.allKeys, "\(text), \(index)")
      expectEqual(
        kept.map { $0.map(\._key) }, new.map { $0.map(\._key) }, "\(text), sections \(index)")
    }
  }

  /// `SectionedState` 1.
  @Test(.heavy, arguments: RandomRuns.seeds(4)) func keptSectionsAreThoseOfNewOnes(
    seed: UInt64
  ) throws {
    let realm = try TemporaryRealm(Self.classes).open()
    var random = SeededGenerator(seed: seed)
    try realm.write { for _ in 0..<160 { Self.change(realm, &random) } }
    let sections = Self.sections(realm)
    let scholars = Self.scholars(realm)
    for round in 0..<40 {
      let text = "seed \(seed), round \(round)"
      realm.beginWrite()
      for _ in 0...Int.random(in: 0...3, using: &random) {
        Self.change(realm, &random)
        if round % 4 == 0 {
          compare(sections, Self.sections(realm), &random, text + ", writing")
          compare(scholars, Self.scholars(realm), &random, text + ", writing")
        }
      }
      if round % 5 == 4 { realm.cancelWrite() } else { try realm.commitWrite() }
      compare(sections, Self.sections(realm), &random, text)
      compare(scholars, Self.scholars(realm), &random, text)
    }
  }

  @MainActor @Test(arguments: RandomRuns.seeds(3))
  func whatObserversAreToldGivesTheSections(seed: UInt64) async throws {
    let file = try TemporaryRealm(Self.classes)
    let realm = try await Realm(configuration: file.configuration)
    var random = SeededGenerator(seed: seed)
    try realm.write { for _ in 0..<120 { Self.change(realm, &random) } }
    let sections = Self.sections(realm)
    let mirrors = sections.enumerated().map { index, sections in
      let mirror = SectionMirror("seed \(seed), sections \(index)")
      mirror.token = sections.observe { mirror.apply($0) }
      return mirror
    }
    realm.refresh()
    for round in 0..<40 {
      try realm.write {
        for _ in 0...Int.random(in: 0...3, using: &random) { Self.change(realm, &random) }
        if round % 6 == 0 { expectEqual(sections[0].count, Self.sections(realm)[0].count) }
      }
      realm.refresh()
    }
    #expect(mirrors.allSatisfy { $0.updateCount > 5 })
    for mirror in mirrors { mirror.token?.invalidate() }
  }

  /// `SectionedState` 1.
  @Test func sectionsOfOthersAreNotAskedForAgain() throws {
    let realm = try TemporaryRealm(Self.classes).open()
    try realm.write {
      for number in 0..<500 { realm.create(Tome.self, value: ["number": number, "kind": 1]) }
    }
    var asked = 0
    let sections = realm.objects(Tome.self).sectioned(
      by: { (tome: Tome) -> Int in
        asked += 1
        return tome.number / 100 + tome.kind
      }, sortDescriptors: ["number"])
    expectEqual(sections.count, 5)
    expectEqual(asked, 500)
    let tome = try #require(realm.objects(Tome.self).sorted(byKeyPath: "number").last)
    try realm.write { tome.kind = 7 }
    expectTrue(sections.allKeys == [1, 2, 3, 4, 5, 11] && sections[5].count == 1 && asked == 501)
    try realm.write {
      tome.number = -1
      expectEqual(sections.allKeys.first, 7)
      expectEqual(asked, 502)
      realm.create(Tome.self, value: ["number": 1000, "kind": 0])
      expectEqual(sections.allKeys.last, 10)
      expectEqual(asked, 503)
    }
    expectEqual(sections.map(\.count), [1, 100, 100, 100, 100, 99, 1])
    expectTrue(asked <= 505)
  }
}
