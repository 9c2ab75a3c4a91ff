// SPDX-License-Identifier: Apache-2.0

// Maps as properties of models: how they are stored, frozen, located and read untyped.

import RealmSession

extension Map: _Persistable, ModelCollection {
  typealias Stored = Value

  static var documentedName: String { "Map" }

  /// Maps are stored as dictionaries.
  public typealias PersistedType = Map

  public static var _shape: _PropertyShape {
    var shape = shape(.map)
    // A column of links by key is nullable; a type that wraps objects has a default for null.
    if Value._wrapsObject, shape.type == .object { shape.isOptional = true }
    return shape
  }

  public static var _wrapsObject: Bool { Value._wrapsObject }

  public static func _makeDefault() -> Map { Map() }

  public static func _traced(by recording: _Recording) -> Map {
    _ = recording.record()
    return Map(recording: recording)
  }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Map {
    loaded(object, slot)
  }

  /// Replaces the entries; the property keeps its map. A map that belonged to no realm becomes that
  /// of the property.
  public static func _store(_ value: Map, _ object: ObjectBase, _ slot: _ColumnSlot) {
    guard let info = object._info else { return }
    let target = ManagedCollection(object, info, slot)
    if let managed = value.managed, managed.isSame(as: target) { return }
    target.requireChangeable()
    if value.managed == nil, target.updateEmbedded(by: value.untypedEntries) {
      return value.becomeManaged(target)
    }
    target.replaceAll(with: value.encodedEntries(for: target))
    if value.managed == nil { value.becomeManaged(target) }
  }

  public static func _convert(_ any: Any) -> Map? {
    if let map = any as? Map { return map }
    guard let value = unwrapped(any) else { return Map() }
    guard let given = UntypedMap(value) else { return nil }
    var entries: [Key: Value] = [:]
    for (key, value) in given.entries {
      guard let converted = Value._convert(swiftValue(value)) else { return nil }
      entries[Key._make(key)] = converted
    }
    return Map(entries: entries)
  }
}

// MARK: - Freezing and handing over

extension Map {
  /// Whether the map is frozen: it shows one version permanently and may be read on any thread.
  ///
  /// This property may be read on any thread. False for maps that belong to no realm.
  public var isFrozen: Bool { managed?.core.isFrozen ?? false }

  /// The map as it is now, immutable, and readable on any thread, without copying anything.
  ///
  /// Its objects are frozen too. In a write transaction it is the map from before it. As long as
  /// something frozen is kept, the file keeps all that its version needs.
  public func freeze() -> Map { frozen(from: requireValid().core) }

  /// The live map that a frozen one is a copy of, in the realm of the calling thread, queue or
  /// actor; nil if its object was deleted. For live maps the map itself.
  public func thaw() -> Map? { thawed(from: requireValid().core) }

  private func requireValid() -> ManagedCollection {
    let managed = requireManaged()
    // Traps if the map is no longer valid.
    _ = managed.dictionary()
    return managed
  }

  /// The locator of the map: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { definition }

  /// The map that `definition` describes, in `realm`; nil if its object does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Map? {
    local(definition, in: realm)
  }
}

// MARK: - Untyped

/// A map of any type.
protocol AnyMap {
  /// The entries in the order of their keys.
  var untypedEntries: [(key: String, value: Any)] { get }

  /// Sets the value of a key; nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)

  /// Appends the class and at most 100 entries.
  func describe(to text: inout IndentedText, depth: Int)
}

extension Map: AnyMap {
  var untypedEntries: [(key: String, value: Any)] {
    map { (key: $0.key._text, value: $0.value as Any) }
  }

  func describe(to text: inout IndentedText, depth: Int) {
    let shown = 100
    text.append("\(descriptionHead(of: self, holding: [String.self, Value.self])) (")
    text.list(skipping: count - shown) { text in
      for entry in prefix(shown) {
        text.startElement("[\(entry.key)]: ")
        ObjectBase.describe(entry.value, to: &text, depth: depth)
      }
    }
  }
}

/// The entries of a map that `create` or an untyped setter receives.
struct UntypedMap {
  let entries: [(key: String, value: Any)]

  /// Creates the entries of a dictionary or a map; nil for other values.
  init?(_ value: Any) {
    if let map = value as? any AnyMap {
      entries = map.untypedEntries
    } else if let dictionary = value as? [String: Any] {
      entries = dictionary.map { (key: $0.key, value: $0.value) }
    } else {
      return nil
    }
  }
}
