// SPDX-License-Identifier: Apache-2.0

// `sectioned`: divides collections into sections by a key of each element.

import RealmSession

extension RealmCollection {
  /// The elements in an order, and in sections that `block` names.
  ///
  /// Traps if there is no sort descriptor, and for a collection that no realm manages.
  public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(sortDescriptors: sortDescriptors, block)
  }

  /// The elements in an order, and in sections that `keyBlock` names.
  ///
  /// Traps if there is no sort descriptor, and for a collection that no realm manages.
  public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor], _ keyBlock: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    if sortDescriptors.isEmpty {
      throwRealmException(
        "There must be at least one SortDescriptor when using SectionedResults.")
    }
    return SectionedResults(SectionedState(sorted(by: sortDescriptors), keyBlock))
  }

  /// The values in their order, and in sections that `block` names.
  ///
  /// Traps for objects, which have no order of their own, and for collections of no realm.
  public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    SectionedResults(SectionedState(sorted(byKeyPath: "self", ascending: ascending), block))
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects in the order of a property, a section for each of its values.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath, sortDescriptors: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The objects in an order, a section for each value of the property by which they are sorted
  /// first.
  ///
  /// Traps if the first descriptor names another property.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    guard let first = sortDescriptors.first else {
      throwRealmException("Can not section Results with empty sortDescriptor parameter.")
    }
    if Key._shape.type == .object {
      throwRealmException("Links are not supported as section keys.")
    }
    if first.keyPath != _name(for: keyPath) {
      throwRealmException("The section key path must match the primary sort descriptor.")
    }
    return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
  }
}
