// SPDX-License-Identifier: Apache-2.0

// The types of a map's parts: keys, entries, positions and iterators.

import RealmSession
import RealmStorage
import RealmTables

/// Types of keys of maps: `String`.
public protocol _MapKey: Hashable, SendableMetatype {
  /// The key that a string represents.
  static func _make(_ text: String) -> Self

  /// The key as it is stored.
  var _text: String { get }
}

extension String: _MapKey {
  public static func _make(_ text: String) -> String { text }
  public var _text: String { self }
}

/// An entry of a map.
public protocol _RealmMapValue {
  /// The type of the keys.
  associatedtype Key: _MapKey
  /// The type of the values.
  associatedtype Value: RealmCollectionValue

  /// The key.
  var key: Key { get }

  /// The value.
  var value: Value { get }

  /// Makes an entry.
  init(_key: Key, _value: Value)
}

/// A key of a map and its value.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: _RealmMapValue, Hashable {
  /// The key.
  public var key: Key
  /// The value.
  public var value: Value

  public init(_key: Key, _value: Value) {
    key = _key
    value = _value
  }
}

/// A position in a map. Any change of the map may move its entries.
public struct MapIndex: Comparable, Sendable {
  let position: Int

  /// The number of entries before it.
  public var offset: UInt { UInt(position) }

  /// Whether one position precedes the other.
  public static func < (left: MapIndex, right: MapIndex) -> Bool { left.position < right.position }
}

/// Iterates over the entries of a map.
public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
  private let snapshot: MapSnapshot?
  private let entries: [Element]
  private var position = 0

  init(_ entries: [Element]) {
    self.entries = entries
    snapshot = nil
  }

  init(_ snapshot: MapSnapshot) {
    entries = []
    self.snapshot = snapshot
  }

  /// The next entry, or nil at the end.
  public mutating func next() -> Element? {
    defer { position += 1 }
    if let snapshot { return snapshot.entry(at: position) }
    return position < entries.count ? entries[position] : nil
  }
}

/// Iterates over the entries of a map as pairs.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol,
  Sequence
{
  private var base: RLMMapIterator<SingleMapEntry<Key, Value>>

  init(_ base: RLMMapIterator<SingleMapEntry<Key, Value>>) { self.base = base }

  /// The next entry, or nil at the end.
  public mutating func next() -> (key: Key, value: Value)? {
    base.next().map { (key: $0.key, value: $0.value) }
  }
}

/// The entries of a managed map at one point in time; later changes of the map do not affect them.
struct MapSnapshot {
  private let managed: ManagedCollection
  private let entries: [(key: String, element: NestedElement)]

  init(_ managed: ManagedCollection) {
    self.managed = managed
    entries = managed.reading(try Self.entries(of: managed), else: [])
  }

  private static func entries(
    of managed: ManagedCollection
  ) throws(StorageError) -> [(key: String, element: NestedElement)] {
    let view = managed.dictionary()
    let isMixed = managed.column.type == .mixed
    var entries: [(key: String, element: NestedElement)] = []
    entries.reserveCapacity(view.count)
    for index in 0..<view.count {
      let element =
        isMixed
        ? try view.nestedElement(at: index)
        : NestedElement(value: try view.value(at: index, of: managed.column))
      entries.append((try view.key(at: index), element))
    }
    return entries
  }

  func entry<Entry: _RealmMapValue>(at index: Int) -> Entry? {
    guard index < entries.count else { return nil }
    managed.core.checkIsolation()
    let entry = entries[index]
    return Entry(
      _key: Entry.Key._make(entry.key), _value: managed.value(of: entry.element))
  }
}
