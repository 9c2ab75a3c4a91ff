// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Priority: Int, PersistableEnum { case low = 3, high = 7 }
private enum Color: String, PersistableEnum { case red, green }

private class Task: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var priority: Priority
  @Persisted var color: Color?
  @Persisted var colors: List<Color>
  @Persisted var anything: AnyRealmValue
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct EnumAndMixedTests {
  @Test func enumerationsAreStoredAsRawValues() throws {
    let file = try TemporaryRealm([Task.self])
    do {
      let realm = try file.open()
      try realm.write {
        let task = realm.create(Task.self, value: ["id": 1, "color": "green"] as [String: Any])
        expectEqual(task.priority, .low)
        expectEqual(task.color, .green)
        task.priority = .high
        task.colors.append(objectsIn: [.green, .red])
        realm.add(Task(value: ["id": 2]))
      }
    }
    let realm = try file.open()
    let task = try #require(realm.object(ofType: Task.self, forPrimaryKey: 1))
    expectEqual(task.priority, .high)
    expectEqual(task.color, .green)
    expectEqual(Array(task.colors), [.green, .red])
    let other = try #require(realm.object(ofType: Task.self, forPrimaryKey: 2))
    expectEqual(other.priority, .low)
    expectTrue(other.color == nil)
  }

  @Test func valuesThatAreNoCaseAreNilWhereTheyMayBe() throws {
    let realm = try TemporaryRealm([Task.self]).open()
    let task = try realm.write {
      let task = realm.create(Task.self, value: ["id": 1, "color": "red"] as [String: Any])
      realm.dynamicObject(ofType: "Task", forPrimaryKey: 1)?["color"] = "blue"
      return task
    }
    expectTrue(task.color == nil)
    expectEqual(realm.objects(Task.self).filter("color == 'blue'").count, 1)
  }

  @Test func anyValueKeepsItsType() throws {
    let realm = try TemporaryRealm([Task.self]).open()
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let values: [AnyRealmValue] = [
      .none, .int(-4), .bool(true), .float(1.5), .double(2.5), .string("text"), .data(Data([7])),
      .date(date), .objectId(ObjectId.generate()), .decimal128("1.50"), .uuid(UUID()),
    ]
    let task = try realm.write { realm.create(Task.self, value: ["id": 1]) }
    expectEqual(task.anything, .none)
    for value in values {
      try realm.write { task.anything = value }
      expectEqual(task.anything, value)
    }
    try realm.write { task.anything = .object(realm.create(Task.self, value: ["id": 2])) }
    expectEqual(task.anything.object(Task.self)?.id, 2)
  }
}
