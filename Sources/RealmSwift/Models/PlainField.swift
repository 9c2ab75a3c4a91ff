// SPDX-License-Identifier: Apache-2.0

// Stored properties of classes without any `@Persisted`: models of the time of `@objc dynamic`. On
// Linux a port drops these words, on Apple's systems they still compile; nothing would be stored in
// either case, so such classes are refused when a realm with them is opened.

@_spi(Reflection) import Swift

#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// A stored property that its class, which has no `@Persisted`, does not store.
struct PlainField: Sendable {
  let name: String
  /// The declaration that stores it; nil if no value of its type can be stored.
  let declaration: String?
  /// The type as the class declares it.
  let typeName: String

  /// The fields of a class, neither ignored nor lazy, that the class seems to mean as properties.
  ///
  /// - Parameter isKnown: Whether the runtime of Objective-C knows the property of that name, as it
  ///   does those that are declared `@objc dynamic`.
  static func all(
    of modelClass: ObjectBase.Type, isKnown: (String) -> Bool
  ) -> [PlainField] {
    let ignored = Set(modelClass.ignoredProperties())
    let indexed = Set(modelClass.indexedProperties())
    let primaryKey = modelClass.primaryKey()
    var fields: [PlainField] = []
    let header = offsetsOfBase()
    _ = unsafe _forEachField(of: modelClass, options: _EachFieldOptions(rawValue: 1)) {
      name, offset, type, _ in
      let name = unsafe String(cString: name)
      guard !header.contains(offset), !name.hasPrefix("$"), !ignored.contains(name),
        !(type is any LegacyGeneric.Type)
      else { return true }
      let typeName = spelled(type)
      let stored = storedType(type, typeName)
      guard stored != nil || isKnown(name) else { return true }
      let attribute =
        name == primaryKey ? "(primaryKey: true)" : indexed.contains(name) ? "(indexed: true)" : ""
      fields.append(
        PlainField(
          name: name, declaration: stored.map { "@Persisted\(attribute) var \(name): \($0)" },
          typeName: typeName))
      return true
    }
    return fields
  }

  /// The names of the stored properties that the runtime of Objective-C knows.
  static func namesKnownToObjectiveC(of modelClass: ObjectBase.Type) -> Set<String> {
    var names: Set<String> = []
    #if canImport(ObjectiveC)
    var next: AnyClass? = modelClass
    while let current = next, current != ObjectBase.self {
      var count: UInt32 = 0
      if let list = unsafe class_copyPropertyList(current, &count) {
        for index in 0..<Int(count) {
          // Computed properties have no variable.
          guard let variable = unsafe property_copyAttributeValue(list[index], "V") else {
            continue
          }
          unsafe free(variable)
          names.insert(unsafe String(cString: property_getName(list[index])))
        }
        unsafe free(list)
      }
      next = class_getSuperclass(current)
    }
    #endif
    return names
  }

  /// The name of a type that can be stored: its own, or that of the value of Swift that replaces a
  /// class of Foundation; nil for other types.
  private static func storedType(_ type: Any.Type, _ typeName: String) -> String? {
    let wrapped = (type as? any OptionalField.Type)?.wrapped ?? type
    if wrapped is any _RefusedType.Type { return nil }
    if type is any _Persistable.Type { return typeName }
    let isOptional = typeName.hasSuffix("?")
    let value: [String: String] = [
      "NSString": "String", "NSDate": "Date", "NSData": "Data", "NSUUID": "UUID",
    ]
    return value[isOptional ? String(typeName.dropLast()) : typeName].map {
      isOptional ? $0 + "?" : $0
    }
  }

  /// A type as a declaration spells it.
  static func spelled(_ type: Any.Type) -> String {
    let name = _typeName(type, qualified: false)
    let start = "Optional<"
    guard name.hasPrefix(start) else { return name }
    return name.dropFirst(start.count).dropLast() + "?"
  }

  /// The positions of the fields of every model class.
  static func offsetsOfBase() -> Set<Int> {
    var offsets: Set<Int> = []
    _ = unsafe _forEachField(of: ObjectBase.self, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, _, _ in
      offsets.insert(offset)
      return true
    }
    return offsets
  }
}

/// A field of optional type.
private protocol OptionalField {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalField {
  static var wrapped: Any.Type { Wrapped.self }
}

extension ModelSchema {
  /// The mistakes of a class that has plain fields and no `@Persisted`: a line for each property,
  /// with the declaration that stores it.
  ///
  /// A class with one `@Persisted` loses the properties that its other fields are, so these are
  /// listed, too.
  var plainFieldMistakes: [String] {
    guard !plainFields.isEmpty else { return [] }
    let plain = plainFields.map { field in
      let start = "Property '\(className).\(field.name)' is declared without @Persisted"
      let end = "or return its name from 'ignoredProperties()'."
      guard let declaration = field.declaration else {
        return "\(start), and values of type '\(field.typeName)' cannot be stored: give it a type "
          + "that can, \(end)"
      }
      return "\(start), and would not be stored: write '\(declaration)', \(end)"
    }
    let others = properties.map { property in
      "Property '\(className).\(property.name)' needs @Persisted as soon as another one has it: "
        + "write '\(ModelSchema.declaration(of: property))'."
    }
    return plain + others
  }

  /// The declaration with `@Persisted` of a field that is a property without it.
  private static func declaration(of property: ModelProperty) -> String {
    let type = PlainField.spelled(property.wrapperType.valueType)
    let origin = property.originProperty.map { "(originProperty: \"\($0)\")" }
    let attribute = origin ?? (property.isIndexed ? "(indexed: true)" : "")
    return "@Persisted\(attribute) var \(property.name): \(type)"
  }
}
