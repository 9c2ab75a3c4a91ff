// SPDX-License-Identifier: Apache-2.0

// `Map`: the type of properties that hold values by key, managed by a realm or not.

import RealmSession
import RealmTables

/// A collection of values by key: scalars, or links to objects, as the type of a property.
///
/// ```swift
/// class Game: Object {
///   @Persisted var scores: Map<String, Int>
///   @Persisted var players: Map<String, Person?>
/// }
/// try realm.write { game.scores["Ann", default: 0] += 3 }
/// ```
///
/// Objects are always optional as values: when an object is deleted, its key stays, with nil. The
/// entries ascend by the bytes of their keys. A map of a managed object always shows the present
/// state, and can be changed in write transactions only.
///
/// In a map that a realm manages, keys must not begin with `$` nor contain `.`.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
  /// The entries while the map belongs to no realm.
  private var unmanaged: [Key: Value] = [:]
  /// The keys of `unmanaged` in their order; nil until it is needed.
  private var unmanagedKeys: [Key]?
  /// The map in the database, once it belongs to a realm.
  private(set) var managed: ManagedCollection?
  /// The object and property that a recording map represents.
  private var recording: _Recording?

  /// Creates an empty map that belongs to no realm.
  public init() {}

  init(managed: ManagedCollection) { self.managed = managed }

  init(recording: _Recording) { self.recording = recording }

  /// Makes the collection of a field without `@Persisted` one that records key paths.
  func becomeRecording(_ recording: _Recording?) { self.recording = recording }

  init(entries: [Key: Value]) { unmanaged = entries }

  /// Binds a map that belonged to no realm to one of a realm, with the same entries.
  func becomeManaged(_ map: ManagedCollection) {
    managed = map
    unmanaged = [:]
    unmanagedKeys = nil
  }

  // MARK: Reading

  /// The number of entries.
  public var count: Int { managed.map { $0.dictionary().count } ?? unmanaged.count }

  /// All keys, ascending.
  public var keys: [Key] {
    guard let managed else { return orderedKeys() }
    return managed.reading(try managed.dictionary().allKeys(), else: []).map { Key._make($0) }
  }

  /// All values, in the order of their keys.
  public var values: [Value] { map(\.value) }

  /// The value of `key`; nil if there is none. Setting nil removes the entry; to store nil in a map
  /// of optionals, use `updateValue(_:forKey:)` or `.some(nil)`.
  public subscript(key: Key) -> Value? {
    get {
      guard let managed else {
        if let recording {
          recording.recorder.reach(self)
          return Value._tracedElement(by: recording)
        }
        return unmanaged[key]
      }
      let view = managed.dictionary()
      guard let index = managed.reading(try view.position(of: key._text), else: nil) else {
        return nil
      }
      return managed.readValue(at: index, of: view)
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// The value of `key`, or `defaultValue` if there is none. Changing it in place stores the
  /// result.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// Iterates over the entries, as pairs, in the order of their keys; in a write transaction, over
  /// those present when it begins.
  public func makeIterator() -> RLMKeyValueIterator<Key, Value> {
    if let managed { return RLMKeyValueIterator(RLMMapIterator(MapSnapshot(managed))) }
    return RLMKeyValueIterator(
      RLMMapIterator(
        orderedKeys().compactMap { key in
          unmanaged[key].map { SingleMapEntry(_key: key, _value: $0) }
        }))
  }

  /// The entry at `index`, which exists.
  func entry(at index: Int) -> SingleMapEntry<Key, Value> {
    guard let managed else {
      let key = orderedKeys()[index]
      return unsafe SingleMapEntry(_key: key, _value: unmanaged[key].unsafelyUnwrapped)
    }
    let view = managed.dictionary()
    return SingleMapEntry(
      _key: Key._make(managed.reading(try view.key(at: index), else: "")),
      _value: managed.readValue(at: index, of: view))
  }

  private func orderedKeys() -> [Key] {
    if let unmanagedKeys { return unmanagedKeys }
    // Swift orders strings by their characters, the database by their bytes.
    let keys = unmanaged.keys.sorted { $0._text.utf8.lexicographicallyPrecedes($1._text.utf8) }
    unmanagedKeys = keys
    return keys
  }

  // MARK: Changing

  /// Sets the value of `key`. An unmanaged object is added to the realm.
  public func updateValue(_ value: Value, forKey key: Key) {
    guard let managed else {
      if unmanaged.updateValue(value, forKey: key) == nil { unmanagedKeys = nil }
      return
    }
    managed.requireChangeable()
    let name = checkedKey(key._text, of: managed.placeText)
    let stored = Value._encode(value, managed.encoding).value
    managed.edit(try managed.dictionaryEditor.set(stored, for: name))
  }

  /// Removes the entry of `key`, if there is one. An object stays in the realm, unless it is
  /// embedded.
  public func removeObject(for key: Key) {
    guard let managed else {
      if unmanaged.removeValue(forKey: key) != nil { unmanagedKeys = nil }
      return
    }
    managed.requireChangeable()
    managed.edit(try managed.dictionaryEditor.remove(key._text))
  }

  /// Removes all entries. Objects stay in the realm, unless they are embedded.
  public func removeAll() {
    guard let managed else {
      unmanaged = [:]
      unmanagedKeys = nil
      return
    }
    managed.requireChangeable()
    managed.edit(try managed.dictionaryEditor.removeAll())
  }

  /// The entries as stored values for a realm; objects that it does not have are added to it.
  func encodedEntries(for target: ManagedCollection) -> TableDictionary {
    let context = target.encoding
    for key in keys { _ = checkedKey(key._text, of: target.placeText) }
    return TableDictionary(
      map {
        TableDictionary.Entry(key: $0.key._text, value: Value._encode($0.value, context).value)
      })
  }
}

/// `key`, if dictionaries can have it; `place` is the property that has the dictionary.
func checkedKey(_ key: String, of place: @autoclosure () -> String) -> String {
  let isSpecial = key.utf8.first == UInt8(ascii: "$")
  if !isSpecial, !key.utf8.contains(UInt8(ascii: ".")) { return key }
  let encoded = (isSpecial ? "%24" + key.dropFirst() : key).replacing(".", with: "%2E")
  throwRealmException(
    "The key '\(key)' of \(place()) must not \(isSpecial ? "start with '$'" : "contain '.'"). "
      + "Percent-encode it: '\(encoded)'.")
}

extension Map: Equatable {
  /// Whether both are the same map, or, if no realm has them, hold equal entries.
  public static func == (left: Map, right: Map) -> Bool {
    if let leftMap = left.managed, let rightMap = right.managed {
      return leftMap.isSame(as: rightMap)
    }
    return left.managed == nil && right.managed == nil && left.unmanaged == right.unmanaged
  }
}
