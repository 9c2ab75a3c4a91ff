// SPDX-License-Identifier: Apache-2.0

// `PersistentID`: identifiers of objects that may be sent to any thread, encoded and stored.

import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// The identifier of an object of a class: its primary key, or else the key of its row.
///
/// ```swift
/// let id = PersistentID(todo)
/// Task.detached {
///   let realm = try Realm()
///   try realm.write { realm[id]?.isDone = true }
/// }
/// ```
///
/// An identifier keeps no version and no realm. One of a class with a primary key identifies the
/// object in every file. One of another class is valid for its file, as long as the object exists:
/// the key of a deleted object's row may be reused for another one.
public struct PersistentID<Model: Object>: Sendable, Hashable {
  private let identity: IdentityInClass

  init(_ identity: IdentityInClass) { self.identity = identity }

  /// The identifier of an object, which a realm must manage unless it has a primary key.
  ///
  /// To be called where `object` may be used; traps if it was deleted.
  public init(_ object: Model) {
    let schema = ModelSchema.of(Model.self)
    if let property = schema.primaryKey {
      identity = .primaryKey(
        property.primaryKeyValue(object._value(of: property), in: schema))
    } else if let info = object._info {
      unsafe info.core.checkIsolation()
      _ = object.exists(in: info)
      identity = unsafe .row(object._key.rawValue)
    } else {
      throwRealmException(
        "A '\(schema.className)' has no identifier until a Realm manages it: it has no primary key")
    }
  }

  /// The primary key: an `Int`, `String`, `ObjectId` or `UUID`; nil if it is null, and for objects
  /// of a class without one.
  public var primaryKey: Any? {
    guard case .primaryKey(let value) = identity else { return nil }
    return value.any
  }

  /// The key and row of the object; nil if it does not exist.
  func find(in info: ClassInfo) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    switch identity {
    case .primaryKey(let value): return try info.findRow(primaryKey: value)
    case .row(let number):
      let key = ObjectKey(number)
      return try info.row(of: key).map { (key, $0) }
    }
  }
}

extension PersistentID: Codable {
  /// Decodes what `encode(to:)` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NameKey.self)
    let row = NameKey("row")
    identity =
      container.contains(row)
      ? .row(try container.decode(Int64.self, forKey: row))
      : .primaryKey(
        try TableValue(fromTyped: container.superDecoder(forKey: NameKey("primaryKey"))))
  }

  /// Encodes the key, with its type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NameKey.self)
    switch identity {
    case .primaryKey(let value):
      try value.encodeWithType(to: container.superEncoder(forKey: NameKey("primaryKey")))
    case .row(let number): try container.encode(number, forKey: NameKey("row"))
    }
  }
}

extension Realm {
  /// The object that `id` names; nil if the realm does not have it.
  public subscript<Model: Object>(id: PersistentID<Model>) -> Model? {
    core.checkIsolation()
    let info = core.classes[Model.self]
    return info.searching(try id.find(in: info), else: nil).map { info.makeElement($0.key, $0.row) }
  }
}
