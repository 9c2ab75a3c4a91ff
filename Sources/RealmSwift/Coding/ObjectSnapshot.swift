// SPDX-License-Identifier: Apache-2.0

// `ObjectSnapshot`: objects as values, without a realm, without confinement, without a struct for
// each class.

import RealmSession

/// A value copy of an object: the values of its properties at one point in time.
///
/// It has the properties of its class, belongs to no realm, and may be sent to any thread, kept,
/// compared, and encoded:
///
/// ```swift
/// let todo = ObjectSnapshot(realm.objects(Todo.self)[0])
/// Task.detached { print(todo.name, todo.owner?.name ?? "", todo.tags.count) }
/// let json = try JSONEncoder().encode(todo)
/// ```
///
/// Lists and sets are arrays in it, maps are dictionaries, linked objects are snapshots. An object
/// that is further away than `depth` has nothing but its primary key. Backlinks are left out. A
/// snapshot is encoded as an object by the names of its properties; values of `AnyRealmValue` are
/// encoded with their type, and objects that they link to with the name of their class. Where such
/// a link is decoded by a program without the class, the value is `none`.
@dynamicMemberLookup
public struct ObjectSnapshot<Model: ObjectBase>: Sendable, Hashable {
  let record: SnapshotRecord

  init(_ record: SnapshotRecord) { self.record = record }

  /// The values of `object`, managed or not, and of what it links to.
  ///
  /// To be called where `object` may be used; traps if it was deleted.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - depth: The number of links over which objects are copied too. Embedded objects are always
  ///     copied.
  public init(_ object: Model, depth: Int = 1) {
    record = SnapshotRecord(object, depth: depth)
  }

  /// A new object with these values that belongs to no realm. To add it to a realm that has the
  /// original, use `update: .modified`. Objects of which the snapshot has only the primary key have
  /// default values otherwise, which are then written too: `Realm.create(from:update:)` leaves such
  /// objects unchanged.
  public func makeObject() -> Model { record.makeObject(Model.self) }

  private func value(_ path: PartialKeyPath<Model>) -> SnapshotValue {
    let name = _name(for: path)
    if let value = record.values[name] { return value }
    throwRealmException(
      record.isReference
        ? "The snapshot of a '\(Model.className())' has only its primary key, not '\(name)': take "
          + "it with a greater depth."
        : "The snapshot of a '\(Model.className())' does not have '\(name)'.")
  }

  /// A property.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, V>) -> V {
    value(path).scalar() ?? V._makeDefault()
  }

  /// A property that may be nil.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, V?>) -> V? {
    value(path).scalar()
  }

  /// A property of any type. A link leads to an object that belongs to no realm, and is a new one
  /// each time.
  public subscript(dynamicMember path: KeyPath<Model, AnyRealmValue>) -> AnyRealmValue {
    value(path).mixed
  }

  /// A linked object.
  public subscript<D: ObjectBase>(
    dynamicMember path: KeyPath<Model, D?>
  ) -> ObjectSnapshot<D>? { value(path).snapshot() }

  /// The elements of a list.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, List<V>>) -> [V] {
    value(path).elements.compactMap { $0.scalar() }
  }

  /// The elements of a list.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, List<V?>>) -> [V?] {
    value(path).elements.map { $0.scalar() }
  }

  /// The objects of a list.
  public subscript<D: ObjectBase>(
    dynamicMember path: KeyPath<Model, List<D>>
  ) -> [ObjectSnapshot<D>] { value(path).elements.compactMap { $0.snapshot() } }

  /// The elements of a set.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, MutableSet<V>>) -> [V] {
    value(path).elements.compactMap { $0.scalar() }
  }

  /// The elements of a set.
  public subscript<V: _Scalar>(dynamicMember path: KeyPath<Model, MutableSet<V?>>) -> [V?] {
    value(path).elements.map { $0.scalar() }
  }

  /// The objects of a set.
  public subscript<D: ObjectBase>(
    dynamicMember path: KeyPath<Model, MutableSet<D>>
  ) -> [ObjectSnapshot<D>] { value(path).elements.compactMap { $0.snapshot() } }

  /// The entries of a map.
  public subscript<V: _Scalar>(
    dynamicMember path: KeyPath<Model, Map<String, V>>
  ) -> [String: V] { value(path).entries.compactMapValues { $0.scalar() } }

  /// The entries of a map.
  public subscript<V: _Scalar>(
    dynamicMember path: KeyPath<Model, Map<String, V?>>
  ) -> [String: V?] { value(path).entries.mapValues { $0.scalar() } }

  /// The objects of a map.
  public subscript<D: ObjectBase>(
    dynamicMember path: KeyPath<Model, Map<String, D?>>
  ) -> [String: ObjectSnapshot<D>?] { value(path).entries.mapValues { $0.snapshot() } }
}

extension ObjectSnapshot: Codable {
  /// Decodes what `encode(to:)` wrote. Properties that are missing are missing in the snapshot.
  public init(from decoder: any Decoder) throws {
    record = try SnapshotRecord(from: decoder, ModelSchema.of(Model.self))
  }

  /// Encodes the properties by their names.
  public func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder, ModelSchema.of(Model.self))
  }
}

extension ObjectSnapshot: CustomStringConvertible {
  /// The description of the object, as far as the snapshot reaches.
  public var description: String { makeObject().description }
}

extension RealmCollection where Element: ObjectBase {
  /// Snapshots of all objects, which may be sent to any thread.
  ///
  /// - Parameter depth: The number of links over which objects are copied too.
  public func snapshots(depth: Int = 1) -> [ObjectSnapshot<Element>] {
    map { ObjectSnapshot($0, depth: depth) }
  }
}

extension SnapshotValue {
  fileprivate func scalar<V: _Scalar>() -> V? {
    if case .scalar(let value) = self { V._scalar(_StoredValue(value)) } else { nil }
  }

  fileprivate var mixed: AnyRealmValue {
    if case .object = self { return .none }
    return AnyRealmValue._convert(any) ?? .none
  }

  fileprivate func snapshot<D: ObjectBase>() -> ObjectSnapshot<D>? {
    if case .object(let record) = self { ObjectSnapshot<D>(record) } else { nil }
  }

  fileprivate var elements: [SnapshotValue] {
    if case .list(let elements) = self { elements } else { [] }
  }

  fileprivate var entries: [String: SnapshotValue] {
    if case .map(let entries) = self { entries } else { [:] }
  }
}
