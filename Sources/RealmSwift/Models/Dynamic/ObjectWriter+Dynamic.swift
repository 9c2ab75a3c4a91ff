// SPDX-License-Identifier: Apache-2.0

// Setting properties of dynamic objects, which take values of any type.

import RealmSession
import RealmTables

extension ObjectWriter {
  /// Sets a property of a dynamic object, which `_prepareToWrite` has admitted.
  func setDynamic(
    _ value: Any, _ property: ModelProperty, of object: ObjectBase, _ info: ClassInfo
  ) {
    if property.shape.linkedClass != nil {
      let isEmbedded = info.linkedClass(info.slot(property)).schema.tableKind == .embedded
      if isEmbedded, property.shape.collection == .none,
        let link = unwrapped(value).flatMap({ modelObject($0) }), unsafe link._hot != nil,
        info.holds(link, object, info.slot(property))
      {
        return
      }
      requireLinkable(value, isEmbedded: isEmbedded)
    }
    set(value, property, of: object, info)
  }

  /// Traps for objects, or collections of objects, that cannot be linked: managed embedded objects,
  /// and objects of another realm.
  private func requireLinkable(_ value: Any, isEmbedded: Bool) {
    guard let object = modelObject(value) else {
      if let elements = value as? any Sequence, !(value is [String: Any]) {
        for element in elements where modelObject(element) != nil {
          requireLinkable(element, isEmbedded: isEmbedded)
        }
      }
      return
    }
    guard unsafe object._hot != nil else { return }
    if isEmbedded { throwRealmException("Can't set link to existing managed embedded object") }
    if unsafe object._owner !== core {
      throwRealmException(
        "Object is already managed by another Realm. Use create instead to copy it into this "
          + "Realm.")
    }
  }
}
