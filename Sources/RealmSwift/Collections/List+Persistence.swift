// SPDX-License-Identifier: Apache-2.0

// Lists as properties of models: how they are stored, replaced and located.

import RealmSession

extension List: _Persistable, ModelCollection {
  typealias Stored = Element

  static var documentedName: String { "List" }

  /// Lists are stored as lists.
  public typealias PersistedType = List

  public static var _shape: _PropertyShape { shape(.list) }

  public static var _wrapsObject: Bool { Element._wrapsObject }

  public static func _makeDefault() -> List { List() }

  public static func _traced(by recording: _Recording) -> List {
    _ = recording.record()
    return List(recording: recording)
  }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> List {
    loaded(object, slot)
  }

  /// Replaces the elements; the property keeps its list. A list that belonged to no realm becomes
  /// that of the property.
  public static func _store(_ value: List, _ object: ObjectBase, _ slot: _ColumnSlot) {
    guard let info = object._info else { return }
    let target = ManagedCollection(object, info, slot)
    if let managed = value.managed, managed.isSame(as: target) { return }
    target.requireWrite()
    if value.managed == nil, target.updateEmbedded(by: Array(value)) {
      return value.becomeManaged(target)
    }
    let context = target.encoding
    let values = Array(value).map { Element._encode($0, context).value }
    target.replaceAll(with: values)
    if value.managed == nil { value.becomeManaged(target) }
  }

  public static func _convert(_ any: Any) -> List? {
    if let list = any as? List { return list }
    if isNil(any) { return List() }
    guard let sequence = enumerable(any) else { return nil }
    var elements: [Element] = []
    // A type that wraps objects takes null for its default, but a list has no nulls.
    let refusesNull = Element._wrapsObject && !Element._shape.isOptional
    for element in sequence {
      if refusesNull, isNil(element) { return nil }
      guard let converted = Element._convert(swiftValue(element)) else { return nil }
      elements.append(converted)
    }
    return List(elements: elements)
  }
}

extension List {
  /// The locator of the list: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { definition }

  /// The list that `definition` describes, in `realm`; nil if its object does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> List? {
    local(definition, in: realm)
  }
}
