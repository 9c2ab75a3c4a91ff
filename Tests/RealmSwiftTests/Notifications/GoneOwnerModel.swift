// SPDX-License-Identifier: Apache-2.0

// The collections whose owner goes, and what is derived from each: the rows and columns of the
// table of `GoneOwnerTests`.

import Foundation
import RealmStorage
import RealmSwiftTestSupport

@testable import RealmSwift

class GoneItem: Object {
  @Persisted var name: String
  @Persisted var number: Int
  @Persisted var holder: GoneOwner?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GonePart: EmbeddedObject {
  @Persisted var name: String
  @Persisted var number: Int
  @Persisted var numbers: List<Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoneOwner: Object {
  @Persisted var items: List<GoneItem>
  @Persisted var itemSet: MutableSet<GoneItem>
  @Persisted var itemMap: Map<String, GoneItem?>
  @Persisted var parts: List<GonePart>
  @Persisted var partMap: Map<String, GonePart?>
  @Persisted var part: GonePart?
  @Persisted var numbers: List<Int>
  @Persisted var numberSet: MutableSet<Int>
  @Persisted var numberMap: Map<String, Int>
  @Persisted var mixed: List<AnyRealmValue>
  @Persisted var any: AnyRealmValue
  @Persisted(originProperty: "holder") var backlinks: LinkingObjects<GoneItem>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// An owner that has two elements in each of its collections.
  static func make(in realm: Realm) -> GoneOwner {
    let items = [
      ["name": "a", "number": 1], ["name": "b", "number": 2],
    ].map { realm.create(GoneItem.self, value: $0) }
    let owner = realm.create(GoneOwner.self)
    owner.items.append(objectsIn: items)
    owner.itemSet.insert(objectsIn: items)
    for (key, item) in zip(["x", "y"], items) {
      owner.itemMap[key] = item
      owner.partMap[key] = GonePart(
        value: ["name": item.name, "number": item.number] as [String: Any])
      item.holder = owner
    }
    for item in items {
      owner.parts.append(
        GonePart(value: ["name": item.name, "number": item.number] as [String: Any]))
    }
    owner.part = GonePart(value: ["numbers": [1, 2]])
    owner.numbers.append(objectsIn: [1, 2])
    owner.numberSet.insert(objectsIn: [1, 2])
    owner.numberMap["x"] = 1
    owner.numberMap["y"] = 2
    owner.mixed.append(objectsIn: [.int(1), .int(2)])
    owner.any = .fromArray([.int(1), .int(2)])
    return owner
  }
}

/// How an observer of one collection is added, what it was told, and how the collection is read.
struct GoneSubject {
  /// What is expected of a collection after its owner has gone.
  enum End {
    /// It is empty, and can be used on.
    case empty
    /// It is empty, and says that it is invalidated.
    case invalidated
    /// It is a property: only observers may read it, in which it is empty.
    case property
  }

  let name: String
  let end: End
  let count: () -> Int
  /// Reads the collection in every way; the number of elements that each way has found.
  let read: () -> [Int]
  let isInvalidated: () -> Bool
  /// The number of elements of what is made from it: frozen, by a reference.
  let copies: () -> [Int]
  /// Begins to observe; what the observer was told is a line for each call.
  let observe: (Recorder<String>) -> NotificationToken
}

/// The line for a change, with the number of elements that its collection has.
private func line(
  _ count: Int, _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
) -> String {
  "\(count) -\(deletions) +\(insertions) ~\(modifications)"
}

extension RealmCollection {
  /// This collection as a subject, read by what all collections have.
  func subject(
    _ name: String, _ end: GoneSubject.End, keyPaths: [String]? = nil,
    more: @escaping () -> [Int] = { [] }
  ) -> GoneSubject {
    GoneSubject(
      name: name, end: end, count: { self.count },
      read: {
        [
          self.count, Array(self).count, self.first == nil ? 0 : self.count,
          self.last == nil ? 0 : self.count, self.reversed().count,
          self.description.isEmpty ? -1 : self.count, self.endIndex,
        ] + more()
      }, isInvalidated: { self.isInvalidated },
      copies: {
        [
          self.freeze().count,
          (self.realm?.resolve(ThreadSafeReference(to: self))?.count) ?? -1,
          ThreadSafe(wrappedValue: self).wrappedValue?.count ?? -1,
        ]
      },
      observe: { told in
        self.observe(keyPaths: keyPaths, on: nil) { change in
          switch change {
          case .initial(let all): told.add("\(all.count)")
          case .update(let all, let deletions, let insertions, let modifications):
            told.add(line(Array(all).count, deletions, insertions, modifications))
          case .error: told.add("error")
          }
        }
      })
  }
}

extension SectionedResults {
  /// These sections as a subject: two sections of one element each.
  func subject(_ name: String, _ end: GoneSubject.End) -> GoneSubject {
    GoneSubject(
      name: name, end: end, count: { self.count },
      read: { [self.count, self.allKeys.count, self.reduce(0) { $0 + $1.count }] },
      isInvalidated: { self.isInvalidated },
      copies: {
        [self.freeze().count, self.realm?.resolve(ThreadSafeReference(to: self))?.count ?? -1]
      },
      observe: { told in
        self.observe { change in
          switch change {
          case .initial(let all): told.add("\(all.count)")
          case .update(let all, let deletions, let insertions, let modifications, let new, let old):
            let deletions = (deletions.map { $0[0] } + Array(old)).sorted()
            let insertions = insertions.map { $0[0] } + Array(new)
            told.add(line(all.count, deletions, insertions, modifications.map { $0[0] }))
          }
        }
      })
  }
}

extension ResultsSection {
  /// This section as a subject: one element, of which the observer is told with twice its position.
  func subject(_ name: String, _ end: GoneSubject.End) -> GoneSubject {
    GoneSubject(
      name: name, end: end, count: { self.count * 2 },
      read: { [self.count * 2, Array(self).count * 2] }, isInvalidated: { self.isInvalidated },
      copies: {
        [self.freeze().count, self.realm?.resolve(ThreadSafeReference(to: self))?.count ?? -1]
      },
      observe: { told in
        self.observe { change in
          switch change {
          case .initial(let all): told.add("\(all.count * 2)")
          case .update(let all, let deletions, _, _, _, let old):
            let isGone = deletions.count + old.count > 0
            told.add(line(all.count, isGone ? [0, 1] : [], [], []))
          }
        }
      })
  }
}

extension ProjectedCollection {
  /// This collection as a subject.
  func subject(_ name: String) -> GoneSubject {
    GoneSubject(
      name: name, end: .property, count: { self.count },
      read: { [self.count, Array(self).count, self.description.isEmpty ? -1 : self.count] },
      isInvalidated: { self.isInvalidated }, copies: { [self.freeze().count] },
      observe: { told in
        self.observe { change in
          switch change {
          case .initial(let all): told.add("\(all.count)")
          case .update(let all, let deletions, let insertions, let modifications):
            told.add(line(all.count, deletions, insertions, modifications))
          case .error: told.add("error")
          }
        }
      })
  }
}

extension Map {
  /// This map as a subject; its keys are "x" and "y".
  func subject(_ name: String) -> GoneSubject {
    GoneSubject(
      name: name, end: .property, count: { self.count },
      read: {
        [
          self.count, self.keys.count, self.values.count, Array(self).count,
          self.description.isEmpty ? -1 : self.count,
        ]
      }, isInvalidated: { self.isInvalidated }, copies: { [self.freeze().count] },
      observe: { told in
        self.observe { change in
          switch change {
          case .initial(let all): told.add("\(all.count)")
          case .update(let all, let deletions, let insertions, let modifications):
            let keys = ["x", "y"]
            let (gone, new, changed) = (
              deletions.map { keys.firstIndex(of: $0._text) ?? -1 },
              insertions.map { keys.firstIndex(of: $0._text) ?? -1 },
              modifications.map { keys.firstIndex(of: $0._text) ?? -1 }
            )
            told.add(line(Array(all).count, gone, new, changed))
          case .error: told.add("error")
          }
        }
      })
  }
}

extension GoneOwner {
  /// Every kind of collection, and everything that is derived from it.
  var subjects: [GoneSubject] {
    derived(from: items, "list", \.name) + derived(from: itemSet, "set", \.name)
      + derived(from: parts, "list of embedded objects", \.name)
      + derived(from: backlinks, "backlinks", \.name, end: .empty)
      + derived(from: numbers, "list of values") + derived(from: numberSet, "set of values")
      + derived(from: part?.numbers ?? List(), "list of an embedded object")
      + [
        mixed.subject("list of mixed values", .property),
        nested.subject("list in a mixed value", .property),
        itemMap.subject("map"), partMap.subject("map of embedded objects"),
        numberMap.subject("map of values"),
        items.projectTo.name.subject("projection of a list"),
        itemSet.projectTo.name.subject("projection of a set"),
      ]
      + mapResults
  }

  private var nested: List<AnyRealmValue> {
    if case .list(let list) = any { list } else { List() }
  }

  /// The values of maps as results.
  private var mapResults: [GoneSubject] {
    guard let objects = itemMap.managed, let values = numberMap.managed else { return [] }
    let all: Results<GoneItem> = Results(objects.source.state)
    let numbers: Results<Int> = Results(values.source.state)
    return [
      all.filter("name != ''").subject("map, filtered", .empty),
      all.sorted(byKeyPath: "name").subject("map, sorted", .empty),
      numbers.sorted(ascending: true).subject("map of values, sorted", .invalidated),
    ]
  }

  private func derived<C: RealmCollection>(
    from all: C, _ kind: String, _ name: KeyPath<C.Element, String>,
    end: GoneSubject.End = .property
  ) -> [GoneSubject] where C.Element: ObjectBase {
    let filtered = all.filter("name != ''")
    let aggregated = { (filtered.sum(ofProperty: "number") as Int) == 3 ? 2 : 0 }
    let sections = all.sectioned(by: name)
    return [
      all.subject(kind, end),
      all.subject("\(kind), name alone", end, keyPaths: ["name"]),
      AnyRealmCollection(all).subject("\(kind), erased", end),
      filtered.subject("\(kind), filtered", .empty) { [aggregated()] },
      filtered.subject("\(kind), filtered, name alone", .empty, keyPaths: ["name"]),
      AnyRealmCollection(filtered).subject("\(kind), filtered, erased", .empty),
      filtered.filter("number > 0").subject("\(kind), filtered twice", .empty) {
        [filtered.filter("number > 0").count, filtered.sorted(byKeyPath: "number").count]
      },
      all.sorted(byKeyPath: "name").subject("\(kind), sorted", .empty),
      all.distinct(by: ["name"]).subject("\(kind), distinct", .empty),
      all.sorted(byKeyPath: "name").limit(5).subject("\(kind), cut", .empty),
      sections.subject("\(kind), sections", .empty),
      sections[1].subject("\(kind), section", .empty),
      filtered.sectioned(by: name).subject("\(kind), filtered, sections", .empty),
    ]
  }

  private func derived<C: RealmCollection>(
    from all: C, _ kind: String
  ) -> [GoneSubject] where C.Element == Int {
    let sorted = all.sorted(byKeyPath: "self", ascending: true)
    return [
      all.subject(kind, .property), AnyRealmCollection(all).subject("\(kind), erased", .property),
      sorted.subject("\(kind), sorted", .invalidated) { [(sorted.sum() as Int) == 3 ? 2 : 0] },
      all.filter("self > 0").subject("\(kind), filtered", .invalidated),
      all.distinct(by: ["self"]).subject("\(kind), distinct", .invalidated),
      all.sectioned(by: { $0 }, ascending: true).subject("\(kind), sections", .invalidated),
    ]
  }
}
