// SPDX-License-Identifier: Apache-2.0

// The parts of an `ObjectSnapshot`: values that belong to no realm and are `Sendable`.

import Foundation
import RealmTables

/// The value of a property, or an element of a collection.
indirect enum SnapshotValue: Sendable, Hashable {
  /// A value in one cell; null too.
  case scalar(TableValue)
  case object(SnapshotRecord)
  /// An object that a mixed value links to, which alone determines its class.
  case mixedLink(SnapshotClass, SnapshotRecord)
  case list([SnapshotValue])
  case map([String: SnapshotValue])
}

/// The class of an object.
struct SnapshotClass: Sendable, Hashable {
  let type: Object.Type

  static func == (left: SnapshotClass, right: SnapshotClass) -> Bool { left.type == right.type }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// The properties of one object.
struct SnapshotRecord: Sendable, Hashable {
  /// Whether only the primary key is there: the object was further away than the depth.
  let isReference: Bool
  /// The values by the names of their properties.
  let values: [String: SnapshotValue]

  init(isReference: Bool = false, _ values: [String: SnapshotValue]) {
    self.isReference = isReference
    self.values = values
  }

  /// The properties of `object`, of its embedded objects, and of objects up to `depth` links away.
  init(_ object: ObjectBase, depth: Int, _ walk: OwnedWalk = OwnedWalk()) {
    let schema = ModelSchema.of(type(of: object))
    let isReference = depth < 0 && !(object is EmbeddedObject)
    let values = walk.owned(by: object) {
      var values: [String: SnapshotValue] = [:]
      for property in schema.properties where property.shape.type != .linkingObjects {
        if isReference, !property.isPrimaryKey { continue }
        values[property.name] = SnapshotValue(object._value(of: property), depth: depth, walk)
      }
      return values
    }
    self.init(isReference: isReference, values)
  }

  /// A new object with these values that belongs to no realm.
  func makeObject<Model: ObjectBase>(_ type: Model.Type) -> Model {
    let object = type.init()
    object._fill(from: dictionary)
    return object
  }

  /// The values as `init(value:)` takes them.
  var dictionary: [String: Any] { values.mapValues(\.any) }
}

extension SnapshotValue {
  static let null = SnapshotValue.scalar(.null)

  /// `value` as it is now. Links of an object at `depth` 0 are represented by primary keys.
  init(_ value: Any, depth: Int, _ walk: OwnedWalk) {
    guard let value = unwrapped(value) else {
      self = .null
      return
    }
    if let object = modelObject(value) {
      self = .object(
        object is EmbeddedObject
          ? walk.following(
            object, { SnapshotRecord(object, depth: depth, walk) }, else: SnapshotRecord([:]))
          : SnapshotRecord(object, depth: depth - 1, walk))
    } else if let mixed = value as? AnyRealmValue {
      if case .object(let object) = mixed {
        self = .mixedLink(
          SnapshotClass(type: type(of: object)), SnapshotRecord(object, depth: depth - 1, walk))
        return
      }
      self = walk.following(
        mixed.managedCollection,
        { mixed.plain.map { SnapshotValue($0, depth: depth, walk) } ?? .null }, else: .null)
    } else if let map = value as? any AnyMap {
      let entries = map.untypedEntries.map { ($0.key, SnapshotValue($0.value, depth: depth, walk)) }
      walk.note(elementCount: entries.count)
      self = .map(Dictionary(entries, uniquingKeysWith: { _, last in last }))
    } else if let elements = value as? any RealmCollection {
      self = .list(SnapshotValue.elements(of: elements, depth: depth, walk))
    } else if let type = type(of: value) as? any _Storable.Type,
      let stored = type._storedScalar(value)
    {
      self = .scalar(stored.value)
    } else {
      self = .null
    }
  }

  private static func elements<C: RealmCollection>(
    of collection: C, depth: Int, _ walk: OwnedWalk
  ) -> [SnapshotValue] {
    let elements: [SnapshotValue] = collection.map { SnapshotValue($0, depth: depth, walk) }
    walk.note(elementCount: elements.count)
    return elements
  }

  /// The value as untyped setters take it.
  var any: Any {
    switch self {
    case .scalar(let value): value.any ?? NSNull()
    case .object(let record): record.dictionary
    case .mixedLink(let model, let record): record.makeObject(model.type)
    case .list(let elements): elements.map(\.any)
    case .map(let entries): entries.mapValues(\.any)
    }
  }
}

extension AnyRealmValue {
  /// The value inside; nil for `none`.
  var plain: Any? {
    switch self {
    case .object(let object): return object
    case .list(let list): return list
    case .dictionary(let map): return map
    default: break
    }
    let numbers: Any? =
      intValue ?? boolValue ?? floatValue ?? doubleValue ?? decimal128Value
    let texts: Any? = stringValue ?? dataValue
    return numbers ?? texts ?? dateValue ?? objectIdValue ?? uuidValue
  }
}
