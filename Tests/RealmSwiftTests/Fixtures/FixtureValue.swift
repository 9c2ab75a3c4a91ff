// SPDX-License-Identifier: Apache-2.0

// Values of the public API in the terms of the fixtures' contents.

import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport

@testable import RealmSwift

/// A value that a property can have.
protocol FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue
}

/// Reads all objects of a realm through the public API.
final class FixtureReader {
  /// Whether objects are read by the names of their properties.
  private let isDynamic: Bool
  private(set) var contents = FixtureContents()
  /// The names of the properties of each class.
  private var names: [String: [String]] = [:]

  init(isDynamic: Bool = false) { self.isDynamic = isDynamic }

  /// The objects of all classes, and the parts that were met in them.
  static func contents(
    of file: FixtureFile, _ realm: Realm, isDynamic: Bool = false
  ) -> FixtureContents {
    let reader = FixtureReader(isDynamic: isDynamic)
    for type in file.classes { reader.read(type, realm) }
    return reader.contents
  }

  private func read<T: FixtureObject>(_ type: T.Type, _ realm: Realm) {
    if isDynamic {
      for object in realm.dynamicObjects(T.className()) { read(object) }
    } else {
      for object in realm.objects(type) { read(object) }
    }
  }

  func read(_ object: ObjectBase) {
    if let object = object as? any FixtureClass {
      readTyped(object)
    } else if let object = object as? DynamicObject {
      let schema = object.objectSchema
      let values = schema.properties.map { property in
        // Of a value of any type only what is inside is given.
        let isMixed =
          property.type == .any && !property.isArray && !property.isSet && !property.isMap
        let value = object[property.name]
        return JSONMember(
          property.name, isMixed ? json(AnyRealmValue._convert(value as Any)) : json(value))
      }
      add(.object(values), object, of: schema.className)
    }
  }

  private func readTyped<T: FixtureClass>(_ object: T) {
    let className = T.className()
    let names = names[className] ?? object.objectSchema.properties.map(\.name)
    self.names[className] = names
    add(
      .object(
        zip(names, T.paths).map { name, path in JSONMember(name, json(object[keyPath: path])) }),
      object, of: className)
    let backlinks = T.backlinks.compactMap { table, property, path -> JSONValue? in
      guard let linking = object[keyPath: path] as? any FixtureBacklinks, !linking.keys.isEmpty
      else { return nil }
      return [.string(table), .string(property), .array(linking.keys.map { .integer($0) })]
    }
    if !backlinks.isEmpty {
      contents.backlinks[className, default: [:]][object._key.rawValue] = .array(backlinks)
    }
  }

  private func add(_ values: JSONValue, _ object: ObjectBase, of className: String) {
    contents.rows[className, default: [:]][object._key.rawValue] = values
  }

  private func json(_ value: Any?) -> JSONValue {
    guard let value else { return .null }
    return (value as? any FixtureValue)?.json(self) ?? .string("unknown type \(type(of: value))")
  }
}

/// Shows which objects link to one.
protocol FixtureBacklinks {
  /// The keys of the objects, ascending.
  var keys: [Int64] { get }
}

extension LinkingObjects: FixtureBacklinks {
  var keys: [Int64] { map { $0._key.rawValue }.sorted() }
}

// MARK: - Scalars

extension JSONValue {
  fileprivate static func number(_ value: Double) -> JSONValue {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    return value == 0 && value.sign == .minus ? "-0" : .double(value)
  }
}

extension Int: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .integer(Int64(self)) }
}

extension Bool: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .bool(self) }
}

extension Float: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .number(Double(self)) }
}

extension Double: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .number(self) }
}

extension String: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .string(self) }
}

extension Data: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .string(base64EncodedString()) }
}

extension Date: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .double(timeIntervalSinceReferenceDate) }
}

extension ObjectId: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .string(stringValue) }
}

extension Decimal128: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .string(bits.parts.text) }
}

extension UUID: FixtureValue {
  func json(_: FixtureReader) -> JSONValue { .string(uuidString.lowercased()) }
}

extension Optional: FixtureValue where Wrapped: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue { map { $0.json(reader) } ?? .null }
}

extension ObjectBase: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue {
    if objectSchema.isEmbedded { reader.read(self) }
    return .integer(_key.rawValue)
  }
}

extension AnyRealmValue: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue {
    let (name, value): (String, any FixtureValue) =
      switch self {
      case .none: ("", "")
      case .int(let value): ("int", value)
      case .bool(let value): ("bool", value)
      case .float(let value): ("float", value)
      case .double(let value): ("double", value)
      case .string(let value): ("string", value)
      case .data(let value): ("data", value)
      case .date(let value): ("date", value)
      case .object(let value): ("typedLink", value)
      case .objectId(let value): ("objectId", value)
      case .decimal128(let value): ("decimal128", value)
      case .uuid(let value): ("uuid", value)
      case .dictionary(let value): ("dictionary", value)
      case .list(let value): ("list", value)
      }
    if case .none = self { return .null }
    if let object = value as? ObjectBase {
      let table = "class_" + object.objectSchema.className
      return ["typedLink": ["table": .string(table), "key": .integer(object._key.rawValue)]]
    }
    return .object([.init(name, value.json(reader))])
  }
}

// MARK: - Collections

extension List: FixtureValue where Element: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue { .array(map { $0.json(reader) }) }
}

extension MutableSet: FixtureValue where Element: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue { .array(map { $0.json(reader) }) }
}

extension Map: FixtureValue where Key == String, Value: FixtureValue {
  func json(_ reader: FixtureReader) -> JSONValue {
    .array(map { .array([.string($0.key), $0.value.json(reader)]) })
  }
}
