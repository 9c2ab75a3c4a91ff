// SPDX-License-Identifier: Apache-2.0

// New values for every kind of property, and every change of a collection beside the same change of
// an array.

import Foundation
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// A value, or an element, that can be made.
protocol FixtureSample: FixtureValue, RealmCollectionValue {
  static func sample(_ number: Int, _ source: FixtureSource) -> Self
}

/// A property that can be changed.
protocol FixtureProperty {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource)
}

/// Where new values come from.
final class FixtureSource {
  let realm: Realm
  let reader: FixtureReader
  /// An object for mixed values.
  let object: Object
  private var number = 0

  init(_ realm: Realm, object: Object) {
    self.realm = realm
    self.object = object
    reader = FixtureReader()
  }

  func next<Value: FixtureSample>(_: Value.Type) -> Value {
    number += 1
    return Value.sample(number, self)
  }

  /// Changes a property in every way that its type has.
  func fill<Root: ObjectBase>(_ object: Root, _ path: PartialKeyPath<Root>) {
    guard let property = type(of: path).valueType as? any FixtureProperty.Type else {
      Issue.record("no samples of \(type(of: path).valueType)")
      return
    }
    property.change(object, path, self)
  }
}

extension FixtureProperty where Self: FixtureSample {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource
  ) {
    guard let path = path as? ReferenceWritableKeyPath<Root, Self> else {
      Issue.record("\(path) cannot be set")
      return
    }
    let value = source.next(Self.self)
    object[keyPath: path] = value
    guard !Self.isPart, object.realm != nil else { return }
    expectEqual(object[keyPath: path].json(source.reader), value.json(source.reader))
  }
}

extension FixtureSample {
  /// Whether the values are embedded objects, which are stored again wherever they are put.
  static var isPart: Bool { _shape.linkedClass is EmbeddedObject.Type }
}

// MARK: - Scalars

extension Int: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Int {
    [.min, 0, .max, -1, 300, 70_000][number % 6] ^ number
  }
}

extension Bool: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Bool { number % 3 == 0 }
}

extension Float: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Float {
    number % 5 == 0 ? -.infinity : Float(number) / 7
  }
}

extension Double: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Double {
    number % 5 == 0 ? .nan : -Double(number) / 3
  }
}

extension String: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> String {
    ["", "é\0\(number)", String(repeating: "long \(number) ", count: number % 40)][number % 3]
  }
}

extension Data: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: number % 200)
  }
}

extension Date: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Date {
    Date(timeIntervalSinceReferenceDate: (Double(number) - 500) * 1_000_000.5)
  }
}

extension ObjectId: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> ObjectId {
    ObjectId(timestamp: Date(timeIntervalSince1970: 5), machineId: number, processId: 1)
  }
}

extension Decimal128: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> Decimal128 {
    number % 5 == 0 ? "-Infinity" : Decimal128(value: number) / 700
  }
}

extension UUID: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _: FixtureSource) -> UUID {
    let high = UInt8(truncatingIfNeeded: number)
    let low = UInt8(truncatingIfNeeded: number / 256)
    return UUID(uuid: (high, low, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  }
}

extension AnyRealmValue: FixtureSample, FixtureProperty {
  static func sample(_ number: Int, _ source: FixtureSource) -> AnyRealmValue {
    let kind = number % 14
    if kind < 12 { return scalar(kind, source) }
    let elements = (0..<kind).map { scalar($0 % 12, source) }
    let list = AnyRealmValue.fromArray(elements)
    if kind == 12 { return list }
    return .fromDictionary(["a list": list, "empty": .fromDictionary([:]), "z": .int(number)])
  }

  static func scalar(_ kind: Int, _ source: FixtureSource) -> AnyRealmValue {
    switch kind {
    case 1: .int(source.next(Int.self))
    case 2: .bool(source.next(Bool.self))
    case 3: .float(source.next(Float.self))
    case 4: .double(source.next(Double.self))
    case 5: .string(source.next(String.self))
    case 6: .data(source.next(Data.self))
    case 7: .date(source.next(Date.self))
    case 8: .object(source.object)
    case 9: .objectId(source.next(ObjectId.self))
    case 10: .decimal128(source.next(Decimal128.self))
    case 11: .uuid(source.next(UUID.self))
    default: .none
    }
  }
}

extension Optional: FixtureSample where Wrapped: FixtureSample, Self: RealmCollectionValue {
  static func sample(_ number: Int, _ source: FixtureSource) -> Wrapped? {
    number % 4 == 0 ? nil : Wrapped.sample(number, source)
  }
}

extension Optional: FixtureProperty where Wrapped: FixtureSample {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource
  ) {
    guard let path = path as? ReferenceWritableKeyPath<Root, Wrapped?> else {
      Issue.record("\(path) cannot be set")
      return
    }
    for value in [source.next(Wrapped.self), nil, source.next(Wrapped.self)] {
      object[keyPath: path] = value
      if Wrapped.isPart || object.realm == nil { continue }
      expectEqual(object[keyPath: path].json(source.reader), value.json(source.reader))
    }
  }
}

// MARK: - Collections

extension List: FixtureProperty where Element: FixtureSample {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource
  ) {
    guard let list = object[keyPath: path] as? List else { return }
    func read() -> [JSONValue] { list.map { $0.json(source.reader) } }
    var model = read()
    for step in 0..<7 {
      let value = source.next(Element.self)
      let text = Element.isPart ? .null : value.json(source.reader)
      switch step {
      case 0, 1:
        list.append(value)
        model.append(text)
      case 2:
        list.insert(value, at: 0)
        model.insert(text, at: 0)
      case 3:
        list[list.count / 2] = value
        model[model.count / 2] = text
      case 4:
        list.move(from: 0, to: list.count - 1)
        model.append(model.removeFirst())
      case 5:
        list.remove(at: list.count / 3)
        model.remove(at: model.count / 3)
      default:
        list.append(objectsIn: [value])
        model.append(text)
      }
    }
    Element.isPart ? expectEqual(list.count, model.count) : expectEqual(read(), model)
  }
}

extension MutableSet: FixtureProperty where Element: FixtureSample {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource
  ) {
    guard let set = object[keyPath: path] as? MutableSet else { return }
    // Dates of other writers may be finer than those of a program, which cannot name them.
    if let first = set.first, !(first is Date) {
      let count = set.count
      set.remove(first)
      expectEqual(set.count, count - 1, "\(_name(for: path, of: Root.self)) \(first)")
      expectFalse(set.contains(first), "\(_name(for: path, of: Root.self)) \(first)")
    }
    for kind in 0..<4 {
      // Sets hold no collections.
      let value = AnyRealmValue.scalar(kind * 3, source) as? Element ?? source.next(Element.self)
      set.insert(value)
      expectTrue(set.contains(value))
    }
  }
}

extension Map: FixtureProperty where Key == String, Value: FixtureSample {
  static func change<Root: ObjectBase>(
    _ object: Root, _ path: PartialKeyPath<Root>, _ source: FixtureSource
  ) {
    guard let map = object[keyPath: path] as? Map else { return }
    var keys = Set(map.keys)
    if let first = keys.min() {
      map.removeObject(for: first)
      keys.remove(first)
    }
    for key in keys.sorted().prefix(2) + ["new", "new ü", ""] {
      let value = source.next(Value.self)
      map[key] = .some(value)
      keys.insert(key)
      guard !Value.isPart else { continue }
      expectEqual(map[key]?.json(source.reader), value.json(source.reader))
    }
    expectEqual(Set(map.keys), keys)
    expectEqual(map.count, keys.count)
  }
}
