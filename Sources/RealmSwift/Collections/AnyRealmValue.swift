// SPDX-License-Identifier: Apache-2.0

// `AnyRealmValue`: the type of properties and elements whose values have any type that the database
// stores.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// A value of any type that the database stores, or none.
///
/// Properties of this type are never optional: nil is `none`. A value may be a list or a dictionary
/// of such values, up to 100 of them inside each other:
///
/// ```swift
/// note.content = .fromDictionary(["title": .string("Trees"), "pages": .fromArray([.int(3)])])
/// try realm.write { note.content.dictionaryValue?["pages"]?.listValue?.append(.int(4)) }
/// ```
///
/// Lists and dictionaries that are read from a realm are live, as those of properties; what is
/// assigned is copied.
public enum AnyRealmValue {
  /// No value.
  case none
  /// An integer.
  case int(Int)
  /// A boolean.
  case bool(Bool)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A string.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A date.
  case date(Date)
  /// A link to an object of any class of the realm.
  case object(Object)
  /// An object identifier.
  case objectId(ObjectId)
  /// A decimal number.
  case decimal128(Decimal128)
  /// A UUID.
  case uuid(UUID)
  /// Values by key.
  case dictionary(Map<String, AnyRealmValue>)
  /// A sequence of values.
  case list(List<AnyRealmValue>)

  /// No value.
  public init() { self = .none }

  /// The integer, or nil if this is something else.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The boolean, or nil if this is something else.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number, or nil if this is something else.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The number, or nil if this is something else.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The string, or nil if this is something else.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes, or nil if this is something else.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The date, or nil if this is something else.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The identifier, or nil if this is something else.
  public var objectIdValue: ObjectId? {
    if case .objectId(let value) = self { value } else { nil }
  }
  /// The number, or nil if this is something else.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }
  /// The identifier, or nil if this is something else.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The dictionary, or nil if this is something else.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// The list, or nil if this is something else.
  public var listValue: List<AnyRealmValue>? {
    if case .list(let value) = self { value } else { nil }
  }

  /// A dictionary that belongs to no realm yet.
  public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
    .dictionary(Map(entries: dictionary))
  }

  /// A list that belongs to no realm yet.
  public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
    .list(List(elements: array))
  }

  /// The object, or nil if this is something else or an object of another class.
  public func object<T: Object>(_ type: T.Type) -> T? {
    if case .object(let object) = self { object as? T } else { nil }
  }
}

extension AnyRealmValue: _Persistable, RealmCollectionValue, _Indexable {
  /// Values of any type are stored as they are.
  public typealias PersistedType = AnyRealmValue

  public static var _shape: _PropertyShape { _PropertyShape(.any) }
  public static func _makeDefault() -> AnyRealmValue { .none }

  public static func _traced(by recording: _Recording) -> AnyRealmValue {
    _ = recording.record()
    return .none
  }

  public static func _tracedElement(by recording: _Recording) -> AnyRealmValue { .none }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> AnyRealmValue {
    guard let info = object._info, let row = unsafe object._row else { return .none }
    let element = _reading(
      object, slot, try row.nestedElement(slot.leaf), else: NestedElement(value: .null))
    let place = element.step.map { unsafe NestedPlace(info, object._key, slot, [$0]) }
    return unsafe _decode(_StoredValue(element.value), _RealmContext(info.core, at: place))
  }

  public static func _store(_ value: AnyRealmValue, _ object: ObjectBase, _ slot: _ColumnSlot) {
    guard let info = object._info else { return }
    // A collection that the property holds already stays, so references to it remain valid.
    if let managed = value.managedCollection, unsafe managed.core === info.core,
      let present = _load(object, slot).managedCollection, present.isSame(as: managed)
    {
      return
    }
    unsafe object._set(_encode(value, _RealmContext(info.core)), slot)
  }

  public static func _storeUnmanaged(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    if let value = wrapper.value(AnyRealmValue.self) {
      _store(value, object, slot)
      // As with links: a value that is kept here would keep cycles alive.
      wrapper.clear(AnyRealmValue.self)
    } else if !wrapper.isFresh {
      _store(.none, object, slot)
    }
  }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> AnyRealmValue {
    switch value.value {
    case .int(let number): .int(Int(number))
    case .bool(let bool): .bool(bool)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let text): .string(text)
    case .binary(let bytes): .data(Data(bytes))
    case .timestamp(let time): .date(Date(time))
    case .objectId(let bytes): .objectId(ObjectId(high: bytes.high, low: bytes.low))
    case .decimal(let bits): .decimal128(Decimal128(low: bits.low, high: bits.high))
    case .uuid(let bytes): .uuid(UUID(bytes))
    case .typedLink(let table, let key):
      context.core.anyObject(ofTable: table, key).map { .object($0) } ?? .none
    case .list(let values):
      .list(
        context.place.map { List(managed: $0.collection(.list)) }
          ?? List(elements: values.map { _decode(_StoredValue($0), context) }))
    case .dictionary(let entries):
      .dictionary(
        context.place.map { Map(managed: $0.collection(.dictionary)) }
          ?? Map(
            entries: Dictionary(
              entries.entries.map { ($0.key, _decode(_StoredValue($0.value), context)) },
              uniquingKeysWith: { _, last in last })))
    case .null, .link: .none
    }
  }

  public static func _encode(_ value: AnyRealmValue, _ context: _RealmContext) -> _StoredValue {
    switch value {
    case .none: _StoredValue(.null)
    case .int(let number): Int._stored(number)
    case .bool(let bool): Bool._stored(bool)
    case .float(let number): Float._stored(number)
    case .double(let number): Double._stored(number)
    case .string(let text): String._stored(text)
    case .data(let data): Data._stored(data)
    case .date(let date): Date._stored(date)
    case .objectId(let id): ObjectId._stored(id)
    case .decimal128(let number): Decimal128._stored(number)
    case .uuid(let uuid): UUID._stored(uuid)
    case .object(let object):
      _StoredValue(
        .typedLink(
          (object._info ?? context.core.classes[type(of: object)]).tableKey,
          context.core.objects.managedKey(of: object)))
    case .list(let list):
      _StoredValue(.list(encoded(list, context.inner)))
    case .dictionary(let map):
      _StoredValue(.dictionary(TableDictionary(encoded(map, context.inner))))
    }
  }

  private static func encoded(
    _ list: List<AnyRealmValue>, _ context: _RealmContext
  ) -> [TableValue] {
    let walk = context.core.creation.walk
    func elements() -> [TableValue] {
      walk.note(elementCount: list.count)
      return list.map { _encode($0, context).value }
    }
    return walk.following(list.managed, elements, else: [])
  }

  private static func encoded(
    _ map: Map<String, AnyRealmValue>, _ context: _RealmContext
  ) -> [TableDictionary.Entry] {
    let walk = context.core.creation.walk
    func entries() -> [TableDictionary.Entry] {
      walk.note(elementCount: map.count)
      return map.map {
        TableDictionary.Entry(
          key: checkedKey($0.key, of: "a dictionary in a value of type 'AnyRealmValue'"),
          value: _encode($0.value, context).value)
      }
    }
    return walk.following(map.managed, entries, else: [])
  }

  /// Accepts values of all types that the database stores, and sequences and dictionaries of them.
  public static func _convert(_ any: Any) -> AnyRealmValue? {
    // Casts of Foundation's numbers would not distinguish booleans from integers.
    guard let value = unwrapped(swiftValue(any)) else { return AnyRealmValue.none }
    if let same = value as? AnyRealmValue { return same }
    if let object = modelObject(value) { return (object as? Object).map { .object($0) } }
    if let collection = converted(collection: value) { return collection }
    switch value {
    case let bool as Bool: return .bool(bool)
    case let float as Float: return .float(float)
    case let double as Double: return .double(double)
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let id as ObjectId: return .objectId(id)
    case let number as Decimal128: return .decimal128(number)
    case let uuid as UUID: return .uuid(uuid)
    case let number as any BinaryInteger: return Int(exactly: number).map { .int($0) }
    default: return persistedForm(value).flatMap { _convert($0) }
    }
  }

  /// A list or dictionary of values that this type accepts.
  private static func converted(collection any: Any) -> AnyRealmValue? {
    switch any {
    case let list as List<AnyRealmValue>: return .list(list)
    case let map as Map<String, AnyRealmValue>: return .dictionary(map)
    case let array as [Any]:
      let values = array.compactMap { _convert($0) }
      return values.count == array.count ? .fromArray(values) : nil
    case let dictionary as [String: Any]:
      let values = dictionary.compactMapValues { _convert($0) }
      return values.count == dictionary.count ? .fromDictionary(values) : nil
    default: return nil
    }
  }

  /// The managed collection that the value is; nil for other values.
  var managedCollection: ManagedCollection? {
    switch self {
    case .list(let list): list.managed
    case .dictionary(let map): map.managed
    default: nil
    }
  }
}

extension _RealmContext {
  /// The context of the elements of a collection that is written; traps where none may be.
  fileprivate var inner: _RealmContext {
    if kind == .set {
      throwRealmException("Lists and dictionaries cannot be elements of a MutableSet.")
    }
    guard depth < 100 else { throwRealmException("Max nesting level reached") }
    var context = self
    context.depth += 1
    return context
  }
}
