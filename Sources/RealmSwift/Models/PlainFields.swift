// SPDX-License-Identifier: Apache-2.0

// Reports stored properties of model classes that are declared without `@Persisted`, and therefore
// not stored. Where a class has no other, as a port leaves it that dropped `@objc dynamic`, nothing
// of it is; beside others they are state of one instance, which some programs take for more.

@_spi(Reflection) import Swift

/// Reports the plain properties of model classes.
enum PlainFields {
  /// The classes that were reported already.
  private static let reported = OnceLogged()

  /// Logs the plain properties of each class, once for each class.
  static func report(_ schemas: [ModelSchema], openedAt path: String) {
    for schema in schemas where !schema.isDynamic && !schema.holdsNothingElse {
      let isMixed = hasWrapper(schema)
      reported.log(isMixed ? .info : .warn, about: schema.modelClass) {
        let names = names(of: schema, besideOthers: isMixed)
        return names.isEmpty ? nil : text(schema.className, names, path, besideOthers: isMixed)
      }
    }
  }

  private static func hasWrapper(_ schema: ModelSchema) -> Bool {
    schema.properties.contains { !$0.wrapperType.isLegacy }
  }

  private static func text(
    _ className: String, _ names: [String], _ path: String, besideOthers: Bool
  ) -> String {
    let list = names.map { "'\(className).\($0)'" }.joined(separator: ", ")
    if besideOthers {
      return "Opening '\(path)': declared without @Persisted, and therefore kept by one instance "
        + "only and not stored: \(list). 'ignoredProperties()' with their names says that this is "
        + "meant."
    }
    return "Opening '\(path)': declared without @Persisted and therefore not stored: \(list). "
      + "Declare them as '@Persisted var', or return their names from 'ignoredProperties()'."
  }

  /// The stored properties of a class that are neither stored in the database, nor lazy, nor
  /// ignored.
  private static func names(of schema: ModelSchema, besideOthers: Bool) -> [String] {
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
        !isStored(type, besideOthers)
      {
        names.append(name)
      }
      return true
    }
    return names
  }

  /// Whether fields of a type are stored: those with `@Persisted`, and, in a class that has none of
  /// them, those of types that are properties without it.
  private static func isStored(_ type: Any.Type, _ besideOthers: Bool) -> Bool {
    besideOthers ? type is any AnyPersisted.Type : type is any LegacyGeneric.Type
  }
}
