// SPDX-License-Identifier: Apache-2.0

// Reports stored properties without `@Persisted` beside others with it: they are state of one
// instance, and some programs take them for more. (Classes without any `@Persisted` are refused:
// `PlainField`.)

@_spi(Reflection) import Swift

/// Reports the plain properties of model classes.
enum PlainFields {
  /// The classes reported already.
  private static let reported = OnceLogged()

  /// Logs the plain properties of each class, once for each class.
  static func report(_ schemas: [ModelSchema], openedAt path: String) {
    for schema in schemas where !schema.isDynamic && !schema.holdsNothingElse {
      guard schema.properties.contains(where: { !$0.wrapperType.isLegacy }) else { continue }
      reported.log(.info, about: schema.modelClass) {
        let names = names(of: schema)
        return names.isEmpty ? nil : text(schema.className, names, path)
      }
    }
  }

  private static func text(_ className: String, _ names: [String], _ path: String) -> String {
    let list = names.map { "'\(className).\($0)'" }.joined(separator: ", ")
    return "Opening '\(path)': declared without @Persisted, and therefore kept by one instance "
      + "only and not stored: \(list). 'ignoredProperties()' with their names says that this is "
      + "meant."
  }

  /// The stored properties of a class without those of the database, lazy and ignored ones.
  private static func names(of schema: ModelSchema) -> [String] {
    let header = PlainField.offsetsOfBase()
    let ignored = Set(schema.modelClass.ignoredProperties())
    var names: [String] = []
    _ = unsafe _forEachField(of: schema.modelClass, options: _EachFieldOptions(rawValue: 1)) {
      name, offset, type, _ in
      let name = unsafe String(cString: name)
      if !header.contains(offset), !name.hasPrefix("$"), !ignored.contains(name),
        !(type is any AnyPersisted.Type)
      {
        names.append(name)
      }
      return true
    }
    return names
  }
}
