// SPDX-License-Identifier: Apache-2.0

// The classes of an age as a life uses them: what is read, asked, written and observed.

import Foundation
import RealmTables

@testable import RealmSession
@testable import RealmSwift

/// The classes of some age.
protocol LifeClasses: Sendable {
  var age: LifeAge { get }
  var types: [ObjectBase.Type] { get }
  func state(of realm: Realm) -> LifeState
  /// What `LifeState.answers(in:)` has to be.
  func answers(_ realm: Realm) -> [String]
  func apply(_ edit: LifeEdit, to realm: Realm)
  /// Results that are kept, and follow: their ids, and the objects that they had when they were
  /// last read, if they are there still.
  func keepResults(_ realm: Realm) -> () -> LifeKept
  func freeze(_ realm: Realm, _ version: LifeVersion) -> LifeFrozen
  /// nil if there is no such object.
  func observe(_ subject: LifeSubject, in realm: Realm, _ log: LifeLog) -> LifeObserver?
}

extension LifeAge {
  var classes: any LifeClasses {
    switch self {
    case .first: ShapedLifeClasses<FirstLife>()
    case .second: ShapedLifeClasses<SecondLife>()
    case .third: ShapedLifeClasses<ThirdLife>()
    }
  }
}

/// The classes of one shape.
struct ShapedLifeClasses<Shape: LifeShape>: LifeClasses {
  typealias Item = Shape.Item
  typealias Holder = Shape.Holder
  typealias Note = Shape.Note

  var age: LifeAge { Shape.age }

  var types: [ObjectBase.Type] { [Item.self, Holder.self] + (age.hasNotes ? [Note.self] : []) }

  // MARK: - Reading

  static func value(of item: Item) -> LifeState.Item {
    LifeState.Item(
      name: item.name, level: item.level, load: item.load, kind: item.kind,
      holder: item.owner?.id)
  }

  func state(of realm: Realm) -> LifeState {
    var state = LifeState()
    for item in realm.objects(Item.self) { state.items[item.id] = Self.value(of: item) }
    for holder in realm.objects(Holder.self) {
      state.holders[holder.id] = LifeState.Holder(
        items: holder.items.map(\.id), numbers: Array(holder.numbers), tags: Set(holder.tags),
        marks: Dictionary(uniqueKeysWithValues: holder.marks.map { ($0.key, $0.value) }))
    }
    guard age.hasNotes else { return state }
    for note in realm.objects(Note.self) { state.notes[note.number] = .some(note.item?.id) }
    return state
  }

  func answers(_ realm: Realm) -> [String] {
    let items = realm.objects(Item.self)
    let holders = realm.objects(Holder.self)
    func ids(_ results: Results<Item>) -> [Int] { results.map(\.id) }
    func sorted(_ condition: String, _ arguments: Any...) -> [Int] {
      ids(items.filter(condition, arguments).sorted(byKeyPath: "id"))
    }
    func sortedHolders(_ condition: String) -> [Int] {
      holders.filter(condition).sorted(byKeyPath: "id").map(\.id)
    }
    let first = realm.object(ofType: Holder.self, forPrimaryKey: 0)
    let byKind = [SortDescriptor(keyPath: "kind"), SortDescriptor(keyPath: "id")]
    var answers = [
      "\(items.filter("kind == 1").count)", "\(sorted("\(age.property("name")) == 'n1'"))",
      "\((first?.owned.map(\.id) ?? []).sorted())", "\(sorted("owner.id >= 0 AND kind > 0"))",
      "\(ids(items.sorted(by: byKind)))",
      "\(first?.items.filter("kind == 1").map(\.id) ?? [])", "\(first?.numbers.sum() ?? 0)",
      "\(items.distinct(by: ["kind"]).count)", "\(sortedHolders("ANY tags == 't1'"))",
      "\(sortedHolders("ANY items.kind == 2"))",
    ]
    if age.hasNotes {
      let notes = realm.objects(Note.self).filter("item.kind == 0").sorted(byKeyPath: "number")
      answers.append("\(notes.map(\.number) as [Int])")
    }
    return answers
  }

  func keepResults(_ realm: Realm) -> () -> LifeKept {
    let results = realm.objects(Item.self).filter("kind == 1").sorted(byKeyPath: "id")
    var items: [Item] = []
    return {
      let values = items.filter { !$0.isInvalidated }.map { ($0.id, Self.value(of: $0)) }
      items = Array(results)
      return LifeKept(ids: items.map(\.id), objects: values)
    }
  }

  func freeze(_ realm: Realm, _ version: LifeVersion) -> LifeFrozen {
    let frozen = realm.freeze()
    let results = realm.objects(Item.self).sorted(byKeyPath: "id").freeze()
    // The same version by its objects.
    let item = realm.objects(Item.self).sorted(byKeyPath: "id").first?.freeze()
    return LifeFrozen(
      version: version, age: age,
      read: {
        (
          state(of: frozen), results.map { ($0.id, Self.value(of: $0)) },
          item.map { Self.value(of: $0) }
        )
      },
      thaw: { live in
        let thawed = results.thaw()
        return (
          item.map { $0.thaw().map { ($0.realm == live, $0.id) } ?? (true, nil) },
          thawed.map { $0.map(\.id) } ?? [], thawed?.realm == live
        )
      })
  }

  // MARK: - Writing

  func apply(_ edit: LifeEdit, to realm: Realm) {
    func item(_ id: Int) -> Item? { realm.object(ofType: Item.self, forPrimaryKey: id) }
    func holder(_ id: Int) -> Holder? { realm.object(ofType: Holder.self, forPrimaryKey: id) }
    switch edit {
    case .put(let id, let value, let all):
      let values: [String: Any] = [
        "id": id, age.property("name"): age.name(value) as Any, "kind": value % LifeEdit.kindCount,
      ]
      realm.create(Item.self, value: values, update: all ? .all : .modified)
    case .delete(let id): if let item = item(id) { realm.delete(item) }
    case .deleteKind(let kind): realm.delete(realm.objects(Item.self).filter("kind == %@", kind))
    case .name(let id, let value): item(id)?.name = age.name(value)
    case .level(let id, let value): item(id)?.level = age.level(value)
    case .load(let id, let value): item(id)?.load = age.load(value)
    case .kind(let id, let value): item(id)?.kind = value
    case .holder(let id, let owner):
      if let owner, holder(owner) == nil { return }
      item(id)?.owner = owner.flatMap { holder($0) }
    case .addHolder(let id): realm.create(Holder.self, value: ["id": id], update: .modified)
    case .deleteHolder(let id): if let holder = holder(id) { realm.delete(holder) }
    case .note(let id):
      guard age.hasNotes else { return }
      let last: Int? = realm.objects(Note.self).max(ofProperty: "number")
      let note = realm.create(Note.self, value: ["number": (last ?? -1) + 1])
      note.item = item(id)
    case .dropNote(let place):
      guard age.hasNotes else { return }
      let notes = realm.objects(Note.self).sorted(byKeyPath: "number")
      if !notes.isEmpty { realm.delete(notes[place % notes.count]) }
    case .refused(let id):
      _ = try? realm.create(
        Item.self, validating: ["id": id, "kind": "none", "owner": ["id": 2]], update: .all)
    default: applyToCollection(edit, holder)
    }
  }

  private func applyToCollection(_ edit: LifeEdit, _ holder: (Int) -> Holder?) {
    switch edit {
    case .insert(let id, let item, let place):
      guard let list = holder(id)?.items,
        let item = list.realm?.object(ofType: Item.self, forPrimaryKey: item)
      else { return }
      list.insert(item, at: place % (list.count + 1))
    case .remove(let id, let place):
      guard let list = holder(id)?.items, !list.isEmpty else { return }
      list.remove(at: place % list.count)
    case .move(let id, let from, let to):
      guard let list = holder(id)?.items, !list.isEmpty, from % list.count != to % list.count
      else { return }
      list.move(from: from % list.count, to: to % list.count)
    case .number(let id, let value): holder(id)?.numbers.append(value)
    case .dropNumber(let id, let place):
      guard let list = holder(id)?.numbers, !list.isEmpty else { return }
      list.remove(at: place % list.count)
    case .tag(let id, let value): holder(id)?.tags.insert("t\(value)")
    case .untag(let id, let value): holder(id)?.tags.remove("t\(value)")
    case .mark(let id, let key, let value): holder(id)?.marks["k\(key)"] = value
    default: break
    }
  }

  // MARK: - Observing

  func observe(_ subject: LifeSubject, in realm: Realm, _ log: LifeLog) -> LifeObserver? {
    let items = realm.objects(Item.self)
    let first = realm.object(ofType: Holder.self, forPrimaryKey: 0)
    switch subject {
    case .all: return observe(items, subject, log) { .item($0.id) }
    case .named:
      return observe(
        items.filter("kind > 0").sorted(byKeyPath: "id"), subject, log, [age.property("name")]
      ) { .item($0.id) }
    case .byKind:
      let order = [SortDescriptor(keyPath: "kind"), SortDescriptor(keyPath: "id")]
      return observe(items.sorted(by: order), subject, log) { .item($0.id) }
    case .sections:
      let order = [SortDescriptor(keyPath: "kind"), SortDescriptor(keyPath: "id")]
      return observeSections(items.sectioned(sortDescriptors: order) { $0.kind }, log)
    case .items: return first.map { observe($0.items, subject, log) { .item($0.id) } }
    case .numbers: return first.map { observe($0.numbers, subject, log) { .number($0) } }
    case .tags: return first.map { observe($0.tags, subject, log) { .text($0) } }
    case .marks: return first.map { observeMap($0.marks, log) }
    case .owned: return first.map { observe($0.owned, subject, log) { .item($0.id) } }
    case .item(let id):
      return realm.object(ofType: Item.self, forPrimaryKey: id).map { observe($0, id, log) }
    }
  }

  private static func shown(_ realm: Realm?) -> () -> UInt64 {
    // The place keeps the realm; an observer must not.
    { [weak core = realm?.core] in core?.shownTables?.version ?? 0 }
  }

  private func observe<C: RealmCollection>(
    _ collection: C, _ subject: LifeSubject, _ log: LifeLog, _ keyPaths: [String]? = nil,
    _ row: @escaping (C.Element) -> LifeRow
  ) -> LifeObserver {
    let observer = LifeObserver(subject, log, shown: Self.shown(collection.realm)) {
      collection.map(row)
    }
    observer.begin(
      collection.observe(keyPaths: keyPaths) { [weak observer] change in
        switch change {
        case .initial: observer?.initial()
        case .update(_, let deletions, let insertions, let modifications):
          observer?.update(
            LifeObserver.Change(
              deletions: deletions, insertions: insertions, modifications: modifications))
        case .error(let error): log.find("\(error)")
        }
      })
    return observer
  }

  private func observeSections(
    _ sections: SectionedResults<Int, Item>, _ log: LifeLog
  ) -> LifeObserver {
    let observer = LifeObserver(.sections, log, shown: Self.shown(sections.realm)) {
      sections.flatMap { section in
        [.section(section.key)] + section.map { LifeRow.item($0.id) }
      }
    }
    observer.begin(
      sections.observe { [weak observer] change in
        switch change {
        case .initial: observer?.initial()
        case .update(_, let deletions, let insertions, let modifications, let come, let go):
          observer?.update(
            LifeObserver.SectionChange(
              deletions: deletions, insertions: insertions, modifications: modifications,
              sectionsToInsert: come, sectionsToDelete: go))
        }
      })
    return observer
  }

  private func observeMap(_ map: Map<String, Int>, _ log: LifeLog) -> LifeObserver {
    let observer = LifeObserver(.marks, log, shown: Self.shown(map.realm)) {
      map.keys.map(LifeRow.text)
    }
    observer.begin(
      map.observe { [weak observer] change in
        switch change {
        case .initial: observer?.initial()
        case .update(_, let deletions, let insertions, let modifications):
          observer?.update(
            deletions: deletions, insertions: insertions, modifications: modifications)
        case .error(let error): log.find("\(error)")
        }
      })
    return observer
  }

  private func observe(_ item: Item, _ id: Int, _ log: LifeLog) -> LifeObserver {
    let observer = LifeObserver(.item(id), log, shown: Self.shown(item.realm)) {
      item.isInvalidated ? [] : [.item(item.id)]
    }
    let age = age
    observer.begin(
      item.observe { [weak observer] (change: ObjectChange<Item>) in
        switch change {
        case .change(_, let properties):
          observer?.update(properties: properties.map(\.name), in: age)
        case .deleted: observer?.update(properties: nil, in: age)
        case .error(let error): log.find("\(error)")
        }
      })
    return observer
  }
}
