// SPDX-License-Identifier: Apache-2.0

// The message for key paths that lead to no property of the database: reading them records no name,
// and with an empty name a query would be about the object itself.

import RealmSession
@_spi(Reflection) import Swift

/// Key paths to what is declared without `@Persisted`.
enum UnpersistedKeyPath {
  /// Traps because a query, an order or an observer is about such a key path.
  static func refuse(_ keyPath: AnyKeyPath, of model: ObjectBase.Type) -> Never {
    let type = Swift.type(of: keyPath).valueType
    let names = fields(of: model, type)
    let place: String
    if names.count == 1 {
      place = "'\(model.className()).\(names[0])' is not @Persisted"
    } else if names.isEmpty {
      place =
        "a key path of '\(model.className())' to a value of type '\(PlainField.spelled(type))' "
        + "leads to no @Persisted property"
    } else {
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      place =
        "a key path of '\(model.className())' to a value of type '\(PlainField.spelled(type))' "
        + "leads to one of \(list), which are not @Persisted"
    }
    throwRealmException(
      "Invalid key path: \(place). The database does not have it, so it can neither be searched, "
        + "sorted nor observed: declare it with @Persisted, or use a property that is.")
  }

  /// The stored properties of a type that are no columns; key paths do not know their names.
  private static func fields(of model: ObjectBase.Type, _ wanted: Any.Type) -> [String] {
    let header = PlainField.offsetsOfBase()
    var names: [String] = []
    _ = unsafe _forEachField(of: model, options: _EachFieldOptions(rawValue: 1)) {
      name, offset, type, _ in
      if !header.contains(offset), type == wanted { names.append(unsafe String(cString: name)) }
      return true
    }
    return names
  }
}
