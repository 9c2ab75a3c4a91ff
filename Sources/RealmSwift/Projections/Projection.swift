// SPDX-License-Identifier: Apache-2.0

// `Projection`: views of objects that show some of their properties, under names of their own.

import RealmSession
import RealmTables

/// The requirements of projections of all classes.
public protocol ProjectionObservable: AnyObject, RealmCollectionValue, ThreadConfined {
  /// The class of the objects that are projected.
  associatedtype Root: ObjectBase

  /// The projected object.
  var rootObject: Root { get }

  /// Creates a projection of an object.
  init(projecting object: Root)
}

/// A view of an object: some of its properties, and of what it links to, under other names.
///
/// ```swift
/// class Card: Projection<Person> {
///   @Projected(\Person.name) var title
///   @Projected(\Person.best?.name) var bestFriend
///   @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
/// }
/// for card in realm.objects(Card.self) { print(card.title, card.dogNames.count) }
/// ```
///
/// A projection stores no values: its properties are those of the object, live or frozen as that
/// is, and can be set where the object's can. Queries and orders of results of projections are
/// about the properties of the objects.
nonisolated open class Projection<Root: ObjectBase>: ProjectionObservable, RealmFetchable,
  CustomStringConvertible
{
  /// The projected object.
  public let rootObject: Root

  /// Creates a projection of an object, managed or not.
  ///
  /// Traps if a property of the class shows anything but a property of the object, or of one that
  /// it links to.
  public required init(projecting object: Root) {
    rootObject = object
    if object._info != nil { ProjectionSchema.check(Self.self) }
  }

  /// The classes, the memory address of the projection, and the values of the projected properties
  /// with the key paths that lead to them.
  open var description: String {
    let schema = ProjectionSchema.of(Self.self)
    var text = IndentedText()
    text.append("\(Self.self)<\(Root.self)> \(addressText(self)) {")
    text.indent()
    for property in schema.properties {
      text.startLine("\(property.name)(\\.\(property.path)) = ")
      ObjectBase.describe(property.value(rootObject) as Any, to: &text, depth: 1)
      text.append(";")
    }
    text.unindent()
    text.startLine("}")
    return text.text
  }

  /// Whether both show the same object.
  public static func == (left: Projection, right: Projection) -> Bool {
    type(of: left) == type(of: right)
      && (left.rootObject === right.rootObject
        || left.rootObject.isSameObject(as: right.rootObject))
  }

  /// Feeds the identity that `==` compares to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The key of the row of a managed object; for others the memory address of the instance.
  fileprivate var identity: UInt64 {
    if unsafe rootObject._hot != nil { return unsafe UInt64(bitPattern: rootObject._key.rawValue) }
    return unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(rootObject).toOpaque()))
  }

  /// The name of the class of the objects.
  public static func className() -> String { Root.className() }

  // MARK: Confinement

  /// The realm that manages the object; nil if none does, or if the object was deleted.
  public var realm: Realm? { rootObject.realm }

  /// Whether the object was deleted, or its realm invalidated.
  public var isInvalidated: Bool { rootObject.isInvalidated }

  /// Whether the object is frozen. This property may be read on any thread.
  public var isFrozen: Bool { rootObject.isFrozen }

  /// A projection of the frozen object.
  public func freeze() -> Self { Self(projecting: rootObject.freeze()) }

  /// A projection of the live object that a frozen one is a copy of; nil if it was deleted.
  public func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }

  /// The locator of the object: its identity, independent of a realm.
  public var _definition: _ConfinedDefinition {
    var definition = rootObject._definition
    // The class of the projection, which may be another than the one that it is handed over as.
    definition.context = UnsafeTransfer(type(of: self))
    return definition
  }

  /// The projection of the object that `definition` describes, in `realm`; nil if it does not exist
  /// there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    let ownClass = definition.context?.value as? Self.Type ?? self
    return Root._local(definition, in: realm).map { ownClass.init(projecting: $0) }
  }

  // MARK: Elements of collections

  /// Projections are not stored: their objects are.
  public typealias PersistedType = Root

  public static var _shape: _PropertyShape { Root._shape }

  public static func _convert(_ any: Any) -> Self? {
    any as? Self ?? Root._convert(any).map { Self(projecting: $0) }
  }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    Self(projecting: Root._decode(value, context))
  }

  public static func _encode(_ value: Projection, _ context: _RealmContext) -> _StoredValue {
    Root._encode(value.rootObject, context)
  }

  public static func _tracedElement(by recording: _Recording) -> Self {
    Self(projecting: Root._tracedElement(by: recording))
  }

  public static var _wrapsObject: Bool { true }
}

extension Projection: ObjectWrapping {
  static var rootClass: ObjectBase.Type { Root.self }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
  /// Distinguishes the projection from those of other objects: the identity of its object.
  public var id: UInt64 {
    if rootObject._info != nil { return unsafe UInt64(bitPattern: rootObject._key.rawValue) }
    return unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(rootObject).toOpaque()))
  }
}
