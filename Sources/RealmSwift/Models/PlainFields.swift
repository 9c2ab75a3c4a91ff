// SPDX-License-Identifier: Apache-2.0

// Reports classes none of whose stored properties says `@Persisted`, as a port leaves them that
// dropped `@objc dynamic`: they compile, and nothing of them is stored.

import RealmStorage
@_spi(Reflection) import Swift

/// Reports model classes whose stored properties are all plain.
enum PlainFields {
  /// The classes that were reported already.
  private static let reported = Locked<Set<ObjectIdentifier>>([])

  /// Logs the plain properties of each class without a `@Persisted` property, once for each class.
  static func report(_ schemas: [ModelSchema], openedAt path: String) {
    for schema in schemas where !schema.isDynamic && !hasWrapper(schema) {
      let identifier = ObjectIdentifier(schema.modelClass)
      if reported.withLock({ $0.contains(identifier) }) { continue }
      let names = names(of: schema)
      guard !names.isEmpty else { continue }
      var isLogged = false
      Logger.log(.warn, text(schema.className, names, path, &isLogged))
      if isLogged { reported.withLock { _ = $0.insert(identifier) } }
    }
  }

  private static func hasWrapper(_ schema: ModelSchema) -> Bool {
    schema.properties.contains { !$0.wrapperType.isLegacy }
  }

  private static func text(
    _ className: String, _ names: [String], _ path: String, _ isLogged: inout Bool
  ) -> String {
    isLogged = true
    let list = names.map { "'\(className).\($0)'" }.joined(separator: ", ")
    return "Opening '\(path)': declared without @Persisted and therefore not stored: \(list). "
      + "Declare them as '@Persisted var', or return their names from 'ignoredProperties()'."
  }

  /// The stored properties of a class that are neither stored in the database, nor lazy, nor
  /// ignored.
  private static func names(of schema: ModelSchema) -> [String] {
    let options = _EachFieldOptions(rawValue: 1)
    var header: Set<Int> = []
    _ = unsafe _forEachField(of: ObjectBase.self, options: options) { _, offset, _, _ in
      header.insert(offset)
      return true
    }
    let ignored = Set(schema.modelClass.ignoredProperties())
    var names: [String] = []
    _ = unsafe _forEachField(of: schema.modelClass, options: options) { name, offset, type, _ in
      let name = unsafe String(cString: name)
      if !header.contains(offset), !name.hasPrefix("$"), !ignored.contains(name),
        !(type is any LegacyGeneric.Type)
      {
        names.append(name)
      }
      return true
    }
    return names
  }
}
