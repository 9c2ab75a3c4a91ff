// SPDX-License-Identifier: Apache-2.0

// Rules of nested lists and dictionaries, broken.

import Foundation
import RealmSwiftTestSupport
import Testing

@testable import RealmSwift

struct NestedMixedMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func tooDeep() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofMixedHolders().open()
      let list = List<AnyRealmValue>()
      list.append(.list(list))
      realm.beginWrite()
      realm.create(MixedHolder.self, value: ["id": 1]).any = .list(list)
    }
    expect("Max nesting level reached", in: result)
  }

  @Test func inASet() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofMixedHolders().open()
      realm.beginWrite()
      realm.create(MixedHolder.self, value: ["id": 1]).set.insert(.fromArray([]))
    }
    expect("Lists and dictionaries cannot be elements of a MutableSet.", in: result)
  }

  @Test func aKeyWithADot() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofMixedHolders().open()
      realm.beginWrite()
      realm.create(MixedHolder.self, value: ["id": 1]).any = .fromDictionary(["a.b": .none])
    }
    expect(
      "The key 'a.b' of a dictionary in a value of type 'AnyRealmValue' must not contain '.'.",
      in: result)
  }

  @Test func usingWhatWasReplaced() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofMixedHolders().open()
      realm.beginWrite()
      let holder = realm.create(MixedHolder.self, value: ["id": 1, "any": [1]] as [String: Any])
      let list = holder.any.listValue
      holder.any = .int(1)
      list?.append(.none)
    }
    expect("List is no longer valid.", in: result)
  }

  @Test func changingOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofMixedHolders().open()
      let holder = try realm.write {
        realm.create(MixedHolder.self, value: ["id": 1, "any": ["a": 1]] as [String: Any])
      }
      holder.any.dictionaryValue?["b"] = .int(2)
    }
    expect("Cannot modify Dictionary outside of a write transaction.", in: result)
  }
}
