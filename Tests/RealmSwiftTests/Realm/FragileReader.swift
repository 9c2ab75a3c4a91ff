// SPDX-License-Identifier: Apache-2.0

// Reads everything of a damaged realm, by every way of the API.

import Foundation
import RealmSwift

/// Reads a realm of `Fragile` objects. What it reads does not matter: all that is asked is that it
/// ends, and by itself.
struct FragileReader {
  let realm: Realm
  /// More steps than any loop over the small files takes.
  private static let stepCountMax = 200_000

  /// The ways to read, by name.
  static let ways: [(name: String, read: @Sendable (FragileReader) -> Void)] = [
    ("properties", { for object in $0.objects { $0.readProperties(of: object) } }),
    ("collections", { for object in $0.objects { $0.readCollections(of: object) } }),
    ("untyped", { for object in $0.objects { $0.readUntyped(object) } }),
    ("positions", { $0.readPositions() }),
    ("descriptions", { for object in $0.objects { _ = "\(object)" } }),
    ("queries", { $0.readQueries() }),
    ("orders", { $0.readOrders() }),
    ("aggregates", { $0.readAggregates() }),
    ("sections", { $0.readSections() }),
    ("columns", { $0.readColumns() }),
    ("keys", { $0.readByKey() }),
    ("snapshots", { $0.readSnapshots() }),
    ("dynamic", { $0.readDynamic() }),
  ]

  /// Reads by all ways.
  func readAll() { for way in Self.ways { way.read(self) } }

  var objects: Results<Fragile> { realm.objects(Fragile.self) }

  /// Goes over the elements; a loop over damaged ones ends.
  private func walk<S: Sequence>(_ sequence: S, _ body: (S.Element) -> Void = { _ in }) {
    var count = 0
    for element in sequence {
      body(element)
      count += 1
      precondition(count < Self.stepCountMax, "a loop does not end")
    }
  }

  func readProperties(of object: Fragile) {
    _ = (object.id, object.name, object.text, object.group, object.bool, object.int, object.float)
    _ = (object.double, object.data, object.date, object.uuid, object.objectId, object.decimal)
    _ = (object.kind, object.level, object.length.meters, object.optionalBool, object.optionalInt)
    _ = (object.optionalDouble, object.optionalString, object.optionalDate, object.optionalKind)
    _ = (object.link?.name, object.link?.link?.owners.count, object.part?.note, object.any)
    if let part = object.part { walk(part.numbers) }
    if let map = object.any.dictionaryValue { walk(map) }
    if let list = object.any.dictionaryValue?["nested"]?.listValue { walk(list) }
    _ = (object.isInvalidated, object.hash, object.isFrozen, object.freeze() == object)
  }

  func readCollections(of object: Fragile) {
    walk(object.ints)
    walk(object.texts)
    walk(object.kinds)
    walk(object.links) { _ = $0.name }
    walk(object.parts) { _ = $0.numbers.sum() as Int }
    walk(object.anys) { if case .object(let linked) = $0 { _ = linked["name"] } }
    walk(object.textSet)
    walk(object.linkSet) { _ = $0.int }
    walk(object.doubleMap)
    walk(object.linkMap) { _ = $0.value?.double }
    walk(object.anyMap) { _ = $0.value.listValue?.count }
    walk(object.owners) { _ = $0.text }
    for index in 0..<object.links.count { _ = object.links[index].name }
    for index in 0..<object.ints.count { _ = object.ints[index] }
    for index in 0..<object.textSet.count { _ = object.textSet[index] }
    _ = (object.ints.sum() as Int, object.ints.max(), object.texts.index(of: nil))
    _ = (object.textSet.contains("a"), object.linkSet.contains(object))
    _ = (object.doubleMap["a"], object.doubleMap.keys, object.doubleMap.values, object.anyMap["b"])
    _ = (object.links.index(of: object), object.owners.count, object.owners.first?.name)
    _ = (object.links.filter("int > 3").count, object.links.sorted(byKeyPath: "name").first?.id)
    _ = (object.ints.filter("self > 1").count, object.ints.sorted().last, object.links.freeze())
    _ = object.owners.filter("int > 3").count
  }

  func readUntyped(_ object: Fragile) {
    for property in object.objectSchema.properties {
      _ = object.value(forKey: property.name)
      _ = object[property.name]
    }
    _ = object.value(forKeyPath: "link.name")
    _ = object.value(forKeyPath: "links.@count")
    _ = object.value(forKeyPath: "links.int")
  }

  private func readPositions() {
    let objects = objects
    for index in 0..<objects.count { _ = objects[index].name }
    _ = (objects.first?.name, objects.last?.name)
    if let last = objects.last { _ = objects.index(of: last) }
    walk(objects.reversed()) { _ = $0.int }
    _ = (realm.isEmpty, objects.map(\.int).count, objects.value(forKey: "name"))
  }

  private func readQueries() {
    let texts = [
      "int > 3000", "name == 'name 5'", "name BEGINSWITH 'name'", "text TEXT 'word5'",
      "group == 2", "double < 3.5 OR float > 1", "kind == 'high' AND bool == true",
      "decimal > 5", "optionalInt == nil", "link.int > 3000", "ANY links.name CONTAINS '4'",
      "ints.@sum > 3", "parts.@count > 0", "ANY parts.numbers > 2", "'a' IN textSet",
      "doubleMap['a'] > 0.1", "linkMap.@count > 0", "any.number == 1", "anys.@count > 2",
      "SUBQUERY(links, $each, $each.int > 3).@count > 0", "owners.@count > 0",
      "part.note CONTAINS 'word'", "data != nil", "date > 1970-01-01@00:00:05", "uuid != nil",
    ]
    for text in texts {
      let found = objects.filter(text)
      _ = found.first?.name
      for index in 0..<found.count { _ = found[index].id }
      walk(found) { _ = $0.name }
    }
    _ = objects.where { $0.int > 3 && $0.links.count > 1 }.count
  }

  private func readOrders() {
    for key in ["name", "int", "double", "date", "decimal", "any", "link.name", "optionalString"] {
      walk(objects.sorted(byKeyPath: key, ascending: false)) { _ = $0.id }
    }
    for key in ["group", "name", "link.group"] { walk(objects.distinct(by: [key])) { _ = $0.id } }
    walk(objects.filter("int > 3 SORT(text ASC) LIMIT(5)")) { _ = $0.name }
  }

  private func readAggregates() {
    _ = (objects.min(of: \.int), objects.max(of: \.double), objects.sum(of: \.float) as Float)
    _ = (objects.average(of: \.int), objects.max(of: \.date))
    _ = objects.sum(of: \.decimal) as Decimal128
    _ = objects.where { $0.int > 3 }.sum(of: \.optionalInt) as Int?
  }

  private func readSections() {
    let sections = objects.sectioned(by: \.group, ascending: true)
    walk(sections) { section in
      walk(section) { _ = $0.name }
      for index in 0..<section.count { _ = section[index].id }
    }
    walk(sections.allKeys)
  }

  private func readColumns() {
    walk(objects.values(\.int, \.name, \.optionalDouble))
    walk(objects.where { $0.int > 3 }.values(\.text))
    walk(objects.values(\.kind, \.any))
  }

  private func readByKey() {
    for number in 0..<40 {
      guard let object = realm.object(ofType: Fragile.self, forPrimaryKey: number) else { continue }
      _ = (object.name, PersistentID(object), realm[PersistentID(object)]?.int)
    }
  }

  private func readSnapshots() {
    for snapshot in objects.snapshots(depth: 2) { _ = try? JSONEncoder().encode(snapshot) }
  }

  private func readDynamic() {
    walk(realm.dynamicObjects("Fragile")) { object in
      for property in object.objectSchema.properties { _ = object[property.name] }
      _ = object.dynamicList("links").count
      _ = object.dynamicList("ints").count
    }
  }
}
