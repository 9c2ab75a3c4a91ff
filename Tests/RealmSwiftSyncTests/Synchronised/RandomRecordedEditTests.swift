// SPDX-License-Identifier: Apache-2.0

// Random writes through the public API: what was recorded makes the same content elsewhere.

#if Sync
import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct RandomRecordedEditTests {
  private static let seeds: Range<UInt64> = 0..<6

  @Test(.heavy, arguments: seeds) func recordedEditsMakeTheSameContent(seed: UInt64) throws {
    let synced = try SynchronisedRealm()
    let realm = try synced.open()
    var editor = RandomEditor(realm, seed: seed)
    for _ in 0..<25 {
      realm.beginWrite()
      for _ in 0..<12 { editor.edit() }
      editor.random.chance(0.15) ? realm.cancelWrite() : try realm.commitWrite()
    }
    try synced.expectReplayIsEqual()
  }
}

/// Makes random changes in the open transaction of a realm.
private struct RandomEditor {
  let realm: Realm
  var random: SeededGenerator

  init(_ realm: Realm, seed: UInt64) {
    self.realm = realm
    random = SeededGenerator(seed: seed)
  }

  private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func text() -> String {
    ["", "a", "bb", String(repeating: "é", count: 30)][number(4)]
  }

  /// An object that is there, or a new one.
  private mutating func task() -> SharedTask {
    let all = realm.objects(SharedTask.self)
    if !all.isEmpty, random.chance(0.8) { return all[number(all.count)] }
    let id = number(40)
    if random.chance(0.5) {
      let task = SharedTask(value: ["_id": id])
      if random.chance(0.5) { task.title = text() }
      if random.chance(0.3) { task.place = place() }
      if random.chance(0.3) { task.steps.append(place()) }
      if random.chance(0.3) { task.anything = value(2) }
      realm.add(task, update: .modified)
      return task
    }
    return realm.create(SharedTask.self, value: ["_id": id], update: .all)
  }

  private mutating func place() -> SharedPlace {
    let place = SharedPlace()
    if random.chance(0.6) { place.street = text() }
    if random.chance(0.3) { place.rooms.append(text()) }
    if random.chance(0.3) { place.inner = corner() }
    return place
  }

  private mutating func corner() -> SharedCorner {
    let corner = SharedCorner(value: ["street": text()])
    if random.chance(0.5) { corner.rooms.append(text()) }
    return corner
  }

  private mutating func value(_ depth: Int) -> AnyRealmValue {
    switch number(depth > 0 ? 10 : 7) {
    case 0: return .none
    case 1: return .int(number(100))
    case 2: return .string(text())
    case 3: return .double(Double(number(9)) / 2)
    case 4: return .data(Data([1, 2]))
    case 5: return .bool(true)
    case 6: return .object(task())
    case 7: return .fromArray([value(depth - 1), value(depth - 1)])
    case 8: return .fromDictionary(["k": value(depth - 1), "l": value(depth - 1)])
    default: return .fromArray([])
    }
  }

  mutating func edit() {
    let task = task()
    switch number(20) {
    case 0: scalars(task)
    case 1: task.note = random.chance(0.3) ? nil : text()
    case 2: task.anything = value(2)
    case 3: nested(task.anything)
    case 4: list(task.texts, text())
    case 5: list(task.numbers, random.chance(0.3) ? nil : number(9))
    case 6: list(task.values, value(1))
    case 7: set(task.tags, text())
    case 8: set(task.related, self.task())
    case 9: task.counts["k\(number(3))"] = random.chance(0.3) ? nil : number(9)
    case 10: task.settings["k\(number(3))"] = random.chance(0.3) ? nil : value(1)
    case 11: task.parent = random.chance(0.3) ? nil : self.task()
    case 12: list(task.following, self.task())
    case 13: task.named["k\(number(3))"] = random.chance(0.3) ? nil : .some(self.task())
    case 14: remark(task)
    case 15: task.place = random.chance(0.3) ? nil : place()
    case 16: list(task.steps, place())
    case 17: task.places["k\(number(3))"] = random.chance(0.3) ? nil : .some(place())
    case 18: inside(task)
    default: if random.chance(0.4) { realm.delete(task) }
    }
  }

  private mutating func scalars(_ task: SharedTask) {
    task.priority = number(1000)
    task.isDone.toggle()
    task.small = Int16(number(300) - 150)
    task.weight = Double(number(9))
    task.share = Float(number(9))
    task.date = Date(timeIntervalSince1970: Double(number(100_000)))
    task.price = Decimal128(number: NSNumber(value: number(9)))
    task.bytes = Data([UInt8(number(256))])
    task.state = random.chance(0.5) ? .done : .busy
    task.height = Centimetres(number(9))
    task.limit = random.chance(0.3) ? nil : number(9)
    task.due = random.chance(0.3) ? nil : Date(timeIntervalSince1970: 3)
  }

  private mutating func list<Element: RealmCollectionValue>(
    _ list: List<Element>, _ element: Element
  ) {
    let index = list.isEmpty ? 0 : number(list.count)
    switch number(list.isEmpty ? 2 : 8) {
    case 0: list.append(element)
    case 1: list.insert(element, at: index)
    case 2: list.remove(at: index)
    case 3: list[index] = element
    case 4: list.move(from: index, to: number(list.count))
    case 5: list.swapAt(index, number(list.count))
    case 6: if random.chance(0.3) { list.removeAll() }
    default: list.removeLast()
    }
  }

  private mutating func set<Element: RealmCollectionValue>(
    _ set: MutableSet<Element>, _ element: Element
  ) {
    switch number(5) {
    case 0: set.remove(element)
    case 1: if random.chance(0.2) { set.removeAll() }
    default: set.insert(element)
    }
  }

  private mutating func nested(_ value: AnyRealmValue) {
    if let list = value.listValue {
      self.list(list, self.value(1))
    } else if let map = value.dictionaryValue {
      map["k\(number(3))"] = random.chance(0.3) ? nil : self.value(1)
    }
  }

  private mutating func remark(_ task: SharedTask) {
    switch number(4) {
    case 0: task.remark = nil
    case 1: task.remark = SharedRemark(value: ["text": text()])
    case 2: if let remark = task.remark { realm.delete(remark) }
    default: task.remark?.about = self.task()
    }
  }

  private mutating func inside(_ task: SharedTask) {
    let places = [task.place, task.steps.first, task.steps.last]
    guard let place = places[number(3)] else { return }
    switch number(5) {
    case 0: place.street = text()
    case 1: place.inner = random.chance(0.3) ? nil : corner()
    case 2: list(place.rooms, text())
    case 3: if let inner = place.inner { list(inner.rooms, text()) }
    default: place.number += 1
    }
  }
}
#endif
