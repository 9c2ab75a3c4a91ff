// SPDX-License-Identifier: Apache-2.0

// What sections, and the collection of them, offer as collections.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct SectionSurfaceTests {
  private let realm: Realm
  private let sections: SectionedResults<Bool, Member>

  init() throws {
    realm = try Member.zoe().realm
    sections = realm.objects(Member.self).sectioned(by: { $0.age > 20 }, sortDescriptors: ["age"])
  }

  @Test func sectionsAreACollection() throws {
    expectEqual(sections.startIndex, 0)
    expectEqual(sections.endIndex, 2)
    expectEqual(sections.count, 2)
    expectEqual(sections.realm, realm)
    expectFalse(sections.isInvalidated)
    expectFalse(sections.isFrozen)
    expectTrue(sections == sections)
    expectEqual(sections.allKeys, [false, true])
    var names: [[String]] = []
    for section in sections {
      var inside: [String] = []
      for member in section { inside.append(member.name) }
      names.append(inside)
    }
    expectEqual(names, [["Zoe", "Bob"], ["Cid", "Ann"]])
    var iterator: SectionedResultsIterator<Bool, Member> = sections.makeIterator()
    expectEqual(iterator.next()?.key, false)
    expectEqual(iterator.next()?.key, true)
    expectEqual(iterator.next(), nil)
  }

  @Test func aSectionIsACollection() throws {
    let section = sections[1]
    expectEqual(section.startIndex, 0)
    expectEqual(section.endIndex, 2)
    expectEqual(section.count, 2)
    expectEqual(section[0].name, "Cid")
    expectEqual(section[1].name, "Ann")
    expectEqual(section.id, true)
    expectEqual(section.realm, realm)
    expectFalse(section.isInvalidated)
    expectFalse(section.isFrozen)
    #expect(
      withoutAddresses(section).hasPrefix(
        "ResultsSection<Bool, Member> <0x> true (\n\t[0] Member {"))
    var iterator: SectionIterator<Member> = section.makeIterator()
    expectEqual(iterator.next()?.name, "Cid")
    realm.invalidate()
    expectTrue(section.isInvalidated)
    expectTrue(sections.isInvalidated)
  }

  @Test func pathsHaveSectionsAndItems() {
    var path = IndexPath(item: 1, section: 2)
    expectEqual(path, IndexPath(row: 1, section: 2))
    expectEqual(path.row, 1)
    expectEqual(path.item, 1)
    expectEqual(path.section, 2)
    path.item = 4
    path.section = 5
    expectEqual(path, IndexPath(indexes: [5, 4]))
    path.row = 6
    expectEqual(path.item, 6)
    expectEqual(sections[IndexPath(item: 1, section: 0)].name, "Bob")
  }

  @MainActor @Test func observersOfKeyPathsHearOfThoseOnly() throws {
    let (realm, zoe) = try Member.zoe()
    let sections = realm.objects(Member.self)
      .sectioned(by: { $0.age > 20 }, sortDescriptors: ["age"])
    var changes = 0
    let tokens = [
      sections.observe(keyPaths: [\Member.name]) { change in
        if case .update = change { changes += 1 }
      },
      sections[0].observe(keyPaths: [\Member.name]) { change in
        if case .update = change { changes += 10 }
      },
    ]
    realm.refresh()
    try realm.write { zoe.height = 2 }
    realm.refresh()
    expectEqual(changes, 0)
    try realm.write { zoe.name = "Zia" }
    realm.refresh()
    expectEqual(changes, 11)
    for token in tokens { token.invalidate() }
  }
}
