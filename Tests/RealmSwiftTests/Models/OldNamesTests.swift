// SPDX-License-Identifier: Apache-2.0

// Names that old programs use.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Lets tests call what is deprecated without being deprecated themselves.
private protocol OldNamesChecking {
  func checkIterators() throws
  func checkOptionals() throws
  func checkFields() throws
}

private class OldNote: Object {
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension OldNote: ObjectKeyIdentifable {}

private struct OldNames: OldNamesChecking {
  @available(*, deprecated)
  func checkIterators() throws {
    let realm = try Member.zoe().realm
    let sections = realm.objects(Member.self).sectioned(by: \.age)
    var outer: RLMSectionedResultsIterator<Int, Member> = sections.makeIterator()
    var inner: RLMSectionIterator<Member>? = outer.next()?.makeIterator()
    expectEqual(inner?.next()?.age, 0)
    let change: RealmSectionedResultsChange<Int> = .initial(3)
    guard case .initial(3) = change else {
      Issue.record("another change")
      return
    }
  }

  @available(*, deprecated)
  func checkOptionals() throws {
    let number = RealmOptional<Int>(3)
    expectEqual(number.value, 3)
    expectEqual("\(number)", "3")
    expectEqual("\(RealmOptional<Int>())", "nil")
    number.value = 4
    expectTrue(number == RealmOptional(4))
    expectTrue(number != RealmOptional<Int>())
    let data = try JSONEncoder().encode([number])
    expectEqual(String(decoding: data, as: UTF8.self), "[4]")
    try expectEqual(JSONDecoder().decode([RealmOptional<Int>].self, from: data)[0].value, 4)
  }

  @available(*, deprecated)
  func checkFields() throws {
    class OldCount: Object {
      let count = RealmOptional<Int>()
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let file = try TemporaryRealm([OldCount.self])
    do {
      let realm = try file.open()
      let object = OldCount(value: ["count": 2])
      try realm.write {
        realm.add(object)
        object.count.value = 5
      }
    }
    let realm = try file.open()
    expectEqual(realm.objects(OldCount.self).first?.count.value, 5)
    expectEqual(realm.objects(OldCount.self).filter("count == 5").count, 1)
  }
}

struct OldNamesTests {
  private let names: any OldNamesChecking = OldNames()

  @Test func iteratorsOfSections() throws { try names.checkIterators() }
  @Test func optionalsAsObjects() throws { try names.checkOptionals() }
  @Test func optionalsAsFields() throws { try names.checkFields() }

  @Test func otherNames() throws {
    let realm = try TemporaryRealm([OldNote.self]).open()
    let note = try realm.write { realm.create(OldNote.self, value: ["x"]) }
    expectEqual(note.id, realm.objects(OldNote.self).first?.id)
    let dynamic: MigrationObject? = realm.dynamicObjects("OldNote").first
    expectEqual(dynamic?["text"] as? String, "x")
    func least<T: KeypathSortable>(_ value: T) -> T { value }
    expectEqual(least(3), 3)
    let change: ProjectedPropertyChange? = nil
    expectTrue(change == nil)
    let block: MigrationObjectEnumerateBlock = { old, new in #expect(old == nil && new == nil) }
    block(nil, nil)
  }

  @Test func namesOfClosuresAndNumbers() throws {
    let realm = try TemporaryRealm([OldNote.self]).open()
    let told = Recorder<Realm.Notification>()
    let block: NotificationBlock = { notification, _ in told.add(notification) }
    let same: Realm.NotificationBlock = block
    same(.refreshRequired, realm)
    let number: Realm.AsyncTransactionId = 7
    expectEqual(number, 7)
    block(.didChange, realm)
    expectEqual(told.all, [.refreshRequired, .didChange])
    expectTrue(Realm.Notification.didChange != .refreshRequired)
  }

  @Test func basesHaveNoProperties() {
    expectTrue(ObjectBase().realm == nil)
    expectTrue(ObjectBase() != ObjectBase())
    expectFalse(DynamicObject.shouldIncludeInDefaultSchema())
    func wrapped<O: OptionalProtocol>(_ type: O.Type) -> Any.Type { O.Wrapped.self }
    expectEqual(ObjectIdentifier(wrapped(Int?.self)), ObjectIdentifier(Int.self))
    let type: ObjectBase.Type = Member.self
    expectTrue(LinkingObjects<Member>(fromType: type, property: "friends").isEmpty)
  }
}
