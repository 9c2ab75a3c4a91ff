// SPDX-License-Identifier: Apache-2.0

// The protocol of maps, and the members of `Map` beyond its entries.

public import Dispatch
public import Foundation
import RealmSession

/// A collection of values by key.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: _MapKey
  /// The type of the values.
  associatedtype Value: RealmCollectionValue

  /// The number of entries.
  var count: Int { get }

  /// All keys.
  var keys: [Key] { get }

  /// All values.
  var values: [Value] { get }

  /// The value of `key`; nil if there is none. Setting nil removes the entry.
  subscript(key: Key) -> Value? { get set }

  /// Sets the value of `key`.
  func updateValue(_ value: Value, forKey key: Key)

  /// Removes the entry of `key`, if there is one.
  func removeObject(for key: Key)

  /// Removes all entries.
  func removeAll()

  /// The value of `key`; nil if there is none, and `NSNull` if it is null.
  func value(forKey key: String) -> AnyObject?

  /// The value of the key or the operator of a key path; see `RealmCollection.value(forKeyPath:)`.
  func value(forKeyPath keyPath: String) -> AnyObject?

  /// Sets the value of `key`; nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)

  /// Whether some entry satisfies `predicate`.
  func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool

  /// The values that match a predicate.
  func filter(_ predicate: NSPredicate) -> Results<Value>

  /// The values in their order.
  func sorted(ascending: Bool) -> Results<Value>

  /// The values in the order of the named property, or of `self` for scalars.
  func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>

  /// The least value of the named property of objects; nil if there is none.
  func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType

  /// The greatest value of the named property of objects; nil if there is none.
  func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType

  /// The sum of the named property of objects; 0 if there is no value.
  func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType

  /// The mean of the named property of objects; nil if there is no value.
  func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType

  /// Calls `block` with the map as it is, and again after each write transaction that changed it.
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Self>) -> Void
  ) -> NotificationToken
}

extension Map: RealmKeyedCollection {
  /// The realm that the map belongs to, or nil.
  public var realm: Realm? { managed.map { Realm(core: $0.core) } }

  /// Whether the object that has the map was deleted, or the realm invalidated.
  public var isInvalidated: Bool { managed.map { !$0.isValid } ?? false }

  /// Whether there is no entry.
  public var isEmpty: Bool { count == 0 }

  /// The position of the first entry.
  public var startIndex: MapIndex { MapIndex(position: 0) }

  /// The position after the last entry.
  public var endIndex: MapIndex { MapIndex(position: count) }

  /// The position after `index`.
  public func index(after index: MapIndex) -> MapIndex { MapIndex(position: index.position + 1) }

  /// The entry that is at `position` at present.
  public subscript(position: MapIndex) -> SingleMapEntry<Key, Value> {
    if position.position >= count {
      IndexText.refuse(position.position, below: count, of: "\(Self.self)", count: count)
    }
    return entry(at: position.position)
  }

  /// The type, the memory address, and the entries, at most 100 of them.
  public var description: String {
    var text = IndentedText()
    describe(to: &text, depth: 0)
    return text.text
  }

  /// The entries as pairs.
  public typealias KeyValueSequence = RLMKeyValueIterator<Key, Value>

  /// The entries as pairs, which the map itself gives, too.
  public func asKeyValueSequence() -> KeyValueSequence { makeIterator() }

  /// Iterates over the entries as pairs.
  public func makeKeyValueIterator() -> RLMKeyValueIterator<Key, Value> { asKeyValueSequence() }

  /// Whether some entry satisfies `predicate`.
  public func contains(
    where predicate: (_ key: Key, _ value: Value) throws -> Bool
  ) rethrows -> Bool {
    for (key, value) in self where try predicate(key, value) { return true }
    return false
  }

  /// Adds entries; where the map has the key already, `combine` receives both values and returns
  /// the one to keep.
  public func merge<S: Sequence>(
    _ keysAndValues: S, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where S.Element == (key: Key, value: Value) {
    for (key, value) in keysAndValues {
      if let present = self[key] {
        updateValue(try combine(present, value), forKey: key)
      } else {
        updateValue(value, forKey: key)
      }
    }
  }

  /// Adds the entries of another map; where this one has the key already, `combine` receives both
  /// values and returns the one to keep.
  public func merge(
    _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(Array(other.asKeyValueSequence()), uniquingKeysWith: combine)
  }

  // MARK: Untyped

  /// The value of `key`, a string as an object; nil if there is none, and `NSNull` if it is null.
  ///
  /// ```swift
  /// game.scores.object(forKey: "Ann" as AnyObject)
  /// ```
  ///
  /// No key is anything but a string.
  public func object(forKey key: AnyObject) -> AnyObject? {
    (swiftValue(key) as? String).flatMap { value(forKey: $0) }
  }

  /// The value of `key`; nil if there is none, and `NSNull` if it is null.
  public func value(forKey key: String) -> AnyObject? {
    untypedValue(forKey: key).map { $0 as AnyObject }
  }

  /// Sets the value of `key`; nil removes the entry. Traps for values of other types.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let value else { return removeObject(for: Key._make(key)) }
    guard let converted = Value._convert(swiftValue(value)) else {
      throwRealmException(
        "Value of type '\(type(of: value))' does not match RLMDictionary value type "
          + "'\(Value._shape.type)'. A \(Self.self) takes values of type '\(Value.self)'.")
    }
    updateValue(converted, forKey: Key._make(key))
  }
}
