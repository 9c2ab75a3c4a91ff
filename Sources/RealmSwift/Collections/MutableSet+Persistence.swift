// SPDX-License-Identifier: Apache-2.0

// Sets as properties of models: how they are stored, frozen and located.

import RealmSession

extension MutableSet: _Persistable, ModelCollection {
  typealias Stored = Element

  static var documentedName: String { "MutableSet" }

  /// Sets are stored as sets.
  public typealias PersistedType = MutableSet

  public static var _shape: _PropertyShape { shape(.set) }

  public static var _wrapsObject: Bool { Element._wrapsObject }

  public static func _makeDefault() -> MutableSet { MutableSet() }

  public static func _traced(by recording: _Recording) -> MutableSet {
    _ = recording.record()
    return MutableSet(recording: recording)
  }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> MutableSet {
    loaded(object, slot)
  }

  /// Replaces the elements; the property keeps its set. A set that belonged to no realm becomes
  /// that of the property.
  public static func _store(_ value: MutableSet, _ object: ObjectBase, _ slot: _ColumnSlot) {
    guard let info = object._info else { return }
    let target = ManagedCollection(object, info, slot)
    if let managed = value.managed, managed.isSame(as: target) { return }
    target.requireWrite()
    let context = target.encoding
    let values = Array(value).map { Element._encode($0, context).value }
    target.replaceAll(with: values)
    if value.managed == nil { value.becomeManaged(target) }
  }

  public static func _convert(_ any: Any) -> MutableSet? {
    if let set = any as? MutableSet { return set }
    if isNil(any) { return MutableSet() }
    guard let sequence = enumerable(any) else { return nil }
    var elements: [Element] = []
    for element in sequence {
      guard let converted = Element._convert(swiftValue(element)) else { return nil }
      elements.append(converted)
    }
    return MutableSet(elements: elements)
  }
}

// MARK: - Freezing and handing over

extension MutableSet {
  /// Whether the set is frozen: it shows one version permanently and may be read on any thread.
  ///
  /// This property may be read on any thread. False for sets that belong to no realm.
  public var isFrozen: Bool { managed?.core.isFrozen ?? false }

  /// The set as it is now, immutable, and readable on any thread, without copying anything.
  ///
  /// Its objects are frozen too. In a write transaction it is the set from before it. As long as
  /// something frozen is kept, the file keeps all that its version needs.
  public func freeze() -> MutableSet { frozen(from: requireValid().core) }

  /// The live set that a frozen one is a copy of, in the realm of the calling thread, queue or
  /// actor; nil if its object was deleted. For live sets the set itself.
  public func thaw() -> MutableSet? { thawed(from: requireValid().core) }

  /// The locator of the set: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { definition }

  /// The set that `definition` describes, in `realm`; nil if its object does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> MutableSet? {
    local(definition, in: realm)
  }
}
