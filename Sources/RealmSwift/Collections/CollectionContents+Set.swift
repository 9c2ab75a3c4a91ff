// SPDX-License-Identifier: Apache-2.0

// Searches a managed set for an element, without adding anything to the realm.

import RealmSession
import RealmTables

extension _CollectionContents {
  /// Whether the set has an element that is equal to `element`.
  func hasSetElement<Element: RealmCollectionValue>(_ element: Element) -> Bool {
    guard let value = knownValue(element) else { return false }
    if case .list(let view) = form {
      return searching(try view.position(ofSetElement: value), else: nil) != nil
    }
    return searching(try values(), else: []).contains(value)
  }

  /// `element` as a stored value; nil for objects that the realm does not have. Nothing is added to
  /// the realm. Traps for objects of another realm.
  func knownValue<Element: RealmCollectionValue>(_ element: Element) -> TableValue? {
    if let value = element as? AnyRealmValue { return knownValue(ofMixed: value) }
    guard let object = modelObject(element) else {
      return Element._encode(element, _RealmContext(core)).value
    }
    return knownValue(of: object)
  }

  private func knownValue(ofMixed value: AnyRealmValue) -> TableValue? {
    switch value {
    case .object(let object): return knownValue(of: object)
    case .list(let list):
      let values: [TableValue] = list.compactMap { knownValue(ofMixed: $0) }
      return values.count == list.count ? .list(values) : nil
    case .dictionary(let map):
      let entries = map.compactMap { entry in
        knownValue(ofMixed: entry.value).map {
          TableDictionary.Entry(key: entry.key, value: $0)
        }
      }
      return entries.count == map.count ? .dictionary(TableDictionary(entries)) : nil
    default: return AnyRealmValue._encode(value, _RealmContext(core)).value
    }
  }

  private func knownValue(of object: ObjectBase) -> TableValue? {
    guard let owner = object._info else { return nil }
    guard unsafe object._owner === core else {
      throwRealmException("Object must be from the Realm being queried")
    }
    guard object.exists(in: owner) else { return nil }
    if let info { return unsafe owner === info ? .link(object._key) : nil }
    return unsafe .typedLink(owner.tableKey, object._key)
  }
}
