// SPDX-License-Identifier: Apache-2.0

// Searches a managed collection for an element, and checks positions of insertions.

import RealmSession
import RealmTables

extension _CollectionContents {
  /// The position of an element that is equal to `element`; nil if there is none.
  func index<Element: RealmCollectionValue>(of element: Element) -> Int? {
    if let object = element as? ObjectBase { return index(ofObject: object) }
    if Element._wrapsObject {
      return (0..<count).first { self.element(at: $0, as: Element.self) == element }
    }
    guard let value = knownValue(element) else { return nil }
    return searching(try values(), else: []).firstIndex(of: value)
  }

  private func index(ofObject object: ObjectBase) -> Int? {
    guard let owner = object._info else { return nil }
    guard unsafe object._owner === core else {
      throwRealmException("Object must be from the Realm being queried")
    }
    guard object.exists(in: owner) else { return nil }
    guard let info else { return nil }
    if owner.tableKey != info.tableKey {
      var type = "Results"
      if case .list = form { type = "RLMArray" }
      throwRealmException(
        "Object of type '\(owner.schema.className)' does not match \(type) type "
          + "'\(info.schema.className)'.")
    }
    let key = unsafe object._key
    if case .table(let table) = form { return searching(try table.position(of: key), else: nil) }
    return searching(try keys(), else: []).firstIndex(of: key)
  }

  /// Checks the index of an insertion, which may be at the end.
  func checkInsertion(_ index: Int) {
    if index < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
    if index > count {
      IndexText.refuse(index, below: count + 1, of: text, count: count)
    }
  }
}
