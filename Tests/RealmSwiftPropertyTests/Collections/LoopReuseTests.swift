// SPDX-License-Identifier: Apache-2.0

// Loops that use an object again for the next element, and programs that could notice.

import Foundation
import TestExtensions
import Testing

@testable import RealmSwift

private final class Bead: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var text: String
  @Persisted var others: List<Bead>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Marked: Object {
  @Persisted(primaryKey: true) var id: Int
  var isMarked = false

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// `ObjectWalk` 1 and 2.
struct LoopReuseTests {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Bead.self, Marked.self]))
    let realm = realm
    try realm.write {
      for id in 0..<600 {
        realm.create(Bead.self, value: ["id": id, "text": "text \(id)"])
        realm.create(Marked.self, value: ["id": id])
      }
    }
  }

  private var loops: [Results<Bead>] {
    let all = realm.objects(Bead.self)
    return [all, all.where { $0.id >= 0 }, all.sorted(by: \.id), all.freeze()]
  }

  @Test func anObjectThatNobodyKeepsIsUsedAgain() {
    for beads in loops {
      var identities: Set<ObjectIdentifier> = []
      var ids: [Int] = []
      for bead in beads {
        identities.insert(ObjectIdentifier(bead))
        ids.append(bead.id)
      }
      expectEqual(ids, Array(0..<600))
      expectEqual(identities.count, 1)
    }
  }

  @Test func objectsThatAreKeptStayThemselves() {
    for beads in loops {
      var kept: [Bead] = []
      var lists: [List<Bead>] = []
      for bead in beads where bead.id % 3 == 0 {
        kept.append(bead)
        lists.append(bead.others)
      }
      expectEqual(kept.map(\.id), Array(stride(from: 0, to: 600, by: 3)))
      #expect(kept.allSatisfy { $0.text == "text \($0.id)" })
      expectEqual(Set(kept.map(ObjectIdentifier.init)).count, kept.count)
      #expect(lists.allSatisfy { $0.isEmpty })
    }
  }

  @Test func weakAndUnownedReferencesStayThoseOfTheirObjects() {
    struct Holder { weak var bead: Bead? }
    for beads in loops {
      var holders: [(id: Int, holder: Holder)] = []
      for bead in beads where bead.id % 2 == 0 {
        holders.append((bead.id, Holder(bead: bead)))
      }
      for (id, holder) in holders {
        if let bead = holder.bead, bead.id != id {
          Issue.record("a weak reference to object \(id) leads to \(bead.id)")
          return
        }
      }
      var callbacks: [(id: Int, isSame: (Bead) -> Bool)] = []
      for bead in beads where bead.id < 20 {
        callbacks.append((bead.id, { [unowned bead] other in bead === other }))
        expectTrue(callbacks.last?.isSame(bead) ?? false)
      }
      expectEqual(callbacks.count, 20)
    }
  }

  @Test func classesWithOtherPropertiesGetNewObjects() {
    var markedCount = 0
    for marked in realm.objects(Marked.self) {
      if marked.isMarked { markedCount += 1 }
      marked.isMarked = true
    }
    expectEqual(markedCount, 0)
    expectTrue(ModelSchema.of(Bead.self).holdsNothingElse)
    expectFalse(ModelSchema.of(Marked.self).holdsNothingElse)
  }

  /// `ObjectWalk` 3.
  @Test func aRealmThatMovesOnInTheLoopShowsItsNewState() throws {
    var texts: [String] = []
    for bead in realm.objects(Bead.self) {
      if bead.id == 300 {
        try realm.write {
          for other in realm.objects(Bead.self) where other.id > 300 { other.text = "new" }
        }
      }
      texts.append(bead.text)
    }
    expectTrue(texts.count == 600 && texts[300] == "text 300")
    #expect(texts[301...].allSatisfy { $0 == "new" })
  }
}
