// SPDX-License-Identifier: Apache-2.0

// `LinkingObjects`: backlinks as the type of a property, the objects that link to an object.

import RealmSession
import RealmTables

/// The requirements of `LinkingObjects` for all classes of objects.
public protocol LinkingObjectsProtocol {
  /// Creates the value of a property for which `property` of `type` is the origin.
  init(fromType type: ObjectBase.Type, property: String)

  /// The name of the property that links.
  var _originProperty: String { get }

  /// The identity that the values of one declaration without `@Persisted` share; nil for others.
  var _declaration: AnyObject? { get }
}

/// The objects that link to the object that has this property.
///
/// ```swift
/// class Dog: Object {
///   @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue> {
  /// The state of a field without `@Persisted`, set when its object becomes managed.
  private final class Declared {
    var state: ResultsState?
    /// The object and property that it represents while the name of a key path is found.
    let recording: _Recording?

    init(recording: _Recording? = nil) { self.recording = recording }
  }

  /// The name of the property that links.
  public let _originProperty: String
  private let managed: ResultsState?
  private let declared: Declared?
  /// The identity that the values of one declaration without `@Persisted` share; nil for others.
  public var _declaration: AnyObject? { declared }

  /// The instance that copies of the value share.
  var _definingInstance: AnyObject? { state ?? declared }

  private var state: ResultsState? { managed ?? declared?.state }

  /// Creates the value of a property for which `property` of `type` is the origin.
  public init(fromType type: Element.Type, property: String) {
    _originProperty = property
    managed = nil
    declared = Declared()
  }

  private init(recording: _Recording) {
    _originProperty = ""
    managed = nil
    declared = Declared(recording: recording)
  }

  init(_ state: ResultsState, originProperty: String) {
    _originProperty = originProperty
    managed = state
    declared = nil
  }

  /// Binds the value of a field without `@Persisted` to the property of the object `key`.
  func adopt(_ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot) {
    declared?.state = LinkingObjects.load(info, key, slot).state
  }

  /// The number of objects that link.
  public var count: Int { state?.contents().count ?? (declared?.recording == nil ? 0 : 1) }

  /// The object at `position`.
  public subscript(position: Int) -> Element {
    if let recording = declared?.recording { return Element._tracedElement(by: recording) }
    return results[position]
  }

  /// Iterates over the objects.
  public func makeIterator() -> RLMIterator<Element> {
    state.map { RLMIterator($0.contents()) } ?? RLMIterator([])
  }

  /// The position of an object; nil if it does not link here.
  public func index(of element: Element) -> Int? { state?.contents().index(of: element) }

  /// The elements of the collection as stored values.
  public var _contents: _CollectionContents { results._contents }

  /// The locator of the collection: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition { results._definition }

  /// The collection that `definition` describes, in `realm`; nil if its object does not exist
  /// there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard
      let state = ResultsState.local(
        definition.locator, in: realm.core, of: Element.self, orGone: definition.isGone),
      case .backlinks(let backlinks) = state.source
    else { return nil }
    return Self(state, originProperty: backlinks.property.name)
  }

  /// The objects as the source of results.
  public var _resultsSource: _ResultsSource { results._resultsSource }

  var results: Results<Element> {
    guard let state else {
      throwRealmException("LinkingObjects of an object that no Realm manages are empty")
    }
    return Results(state)
  }
}

extension LinkingObjects: LinkingObjectsProtocol {
  /// Creates the value of a property for which `property` of `type` is the origin.
  public init(fromType type: ObjectBase.Type, property: String) {
    _originProperty = property
    managed = nil
    declared = Declared()
  }
}

extension LinkingObjects: RealmCollection {
  /// The realm of the objects, or nil.
  public var realm: Realm? { state.map { Realm(core: $0.core) } }

  /// Whether the realm was invalidated.
  public var isInvalidated: Bool { state?.isInvalidated ?? false }

  /// Whether both are the backlinks of one property of one object.
  public static func == (left: LinkingObjects, right: LinkingObjects) -> Bool {
    guard case .backlinks(let leftSource) = left.state?.source,
      case .backlinks(let rightSource) = right.state?.source
    else { return left.state == nil && right.state == nil }
    return leftSource.key == rightSource.key && leftSource.origin === rightSource.origin
      && leftSource.property.index == rightSource.property.index
  }
}

extension LinkingObjects: _Persistable {
  /// Backlinks are not stored.
  public typealias PersistedType = LinkingObjects

  public static var _shape: _PropertyShape {
    _PropertyShape(.linkingObjects, linkedClass: Element.self)
  }

  public static func _makeDefault() -> LinkingObjects {
    LinkingObjects(fromType: Element.self, property: "")
  }

  public static var _isDefaultZero: Bool { true }

  public static func _traced(by recording: _Recording) -> LinkingObjects {
    _ = recording.record()
    return LinkingObjects(recording: recording)
  }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> LinkingObjects {
    object._info.map { unsafe load($0, object._key, slot) } ?? _makeDefault()
  }

  private static func load(
    _ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot
  ) -> LinkingObjects {
    let property = info.schema.properties[Int(slot.property)]
    let name = property.originProperty ?? ""
    let origin = unsafe info.originClass(of: property) ?? info.core.classes[Element.self]
    guard let link = origin.schema.property(named: name) else { return _makeDefault() }
    let source = BacklinkSource(target: info, key: key, origin: origin, property: link)
    return unsafe LinkingObjects(
      ResultsState(.backlinks(source), info.core, origin), originProperty: name)
  }

  public static func _store(_ value: LinkingObjects, _ object: ObjectBase, _ slot: _ColumnSlot) {
    throwRealmException("LinkingObjects properties are read-only")
  }

  public static func _convert(_ any: Any) -> LinkingObjects? { nil }
}

extension Persisted where Value: LinkingObjectsProtocol {
  /// Declares the objects that link here through the property called `originProperty`.
  public init(originProperty: String) {
    self.init(value: Value(fromType: ObjectBase.self, property: originProperty), flags: [])
  }
}
