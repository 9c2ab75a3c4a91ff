// SPDX-License-Identifier: Apache-2.0

// Damage that is found while an object, a collection or results are read: what was read, besides
// what is wrong. Only errors come here, so speed does not matter.

import RealmSession
public import RealmStorage
import RealmTables

extension ObjectBase {
  /// Passes damage on that a read of a property found; traps if nobody takes it.
  @usableFromInline @inline(never)
  final func _meetDamage(_ error: StorageError, _ slot: _ColumnSlot) {
    guard let info = _info else { stop(error) }
    let property = info.schema.properties[Int(slot.property)].name
    unsafe info.meet(error, reading: property, of: _key)
  }

  /// Passes on that a property's value cannot be one of its type; traps with `text` if nobody takes
  /// that.
  final func _meetContradiction(_ text: String, _ slot: _ColumnSlot) {
    guard let info = _info, unsafe info.core.takesDamage else { throwRealmException(text) }
    _meetDamage(.corrupted(text), slot)
  }
}

extension ClassInfo {
  /// Passes damage on that a read of an object, or of one of its properties, found; traps if nobody
  /// takes it.
  func meet(_ error: StorageError, reading property: String? = nil, of key: ObjectKey) {
    unsafe core.meet(placed(error, reading: property, of: key))
  }

  /// The value of `body`, which reads a property of an object, or a placeholder.
  func reading<R>(
    _ property: Int? = nil, of key: ObjectKey, _ body: @autoclosure () throws(StorageError) -> R,
    else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      meet(error, reading: property.map { schema.properties[$0].name }, of: key)
      return placeholder()
    }
  }

  private func placed(
    _ error: StorageError, reading property: String?, of key: ObjectKey
  ) -> StorageError {
    guard case .corrupted(let text) = error else { return error }
    let place = property.map { "'\(schema.className).\($0)'" } ?? "a '\(schema.className)'"
    return .corrupted("\(text) (found while \(place) was read, object key \(key.rawValue))")
  }

  /// Passes damage on that a query, an order or a loop found, with the first place of the class
  /// that cannot be read; traps if nobody takes it.
  func meet(searching error: StorageError) {
    guard case .corrupted(let text) = error else { return unsafe core.meet(error) }
    switch DamagedPlace(in: self) {
    case .property(let name, let key):
      meet(.corrupted(text), reading: name, of: key)
    case .object(let key): meet(.corrupted(text), of: key)
    case .unknown:
      unsafe core.meet(
        .corrupted("\(text) (found while objects of '\(schema.className)' were searched)"))
    }
  }

  /// The value of `body`, which searches objects of the class, or a placeholder.
  func searching<R>(
    _ body: @autoclosure () throws(StorageError) -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      meet(searching: error)
      return placeholder()
    }
  }

  /// Passes on that there is no object where a link or a collection leads.
  func meetMissing(_ key: ObjectKey) { unsafe core.meet(missing(key)) }

  /// The error of a link that leads to no object.
  func missing(_ key: ObjectKey) -> StorageError {
    .corrupted("there is no '\(schema.className)' with object key \(key.rawValue)")
  }

  /// Whether a new object, which a link or a collection has led to, does not exist, and damage is
  /// to blame that the caller takes. In a transaction a loop may come to what was deleted
  /// meanwhile.
  func lacks(_ object: ObjectBase) -> Bool {
    unsafe !core.isInWrite && core.takesDamage && !object._locate(self)
  }
}

extension ClassInfo {
  /// Passes an error of a write of a property on; the message of a limit, which traps, names the
  /// property. What is written to an object that was lost with damaged bytes is dropped: no commit
  /// follows.
  @inline(never)
  func meet(_ error: StorageError, writing property: String?, of key: ObjectKey? = nil) {
    if let key, unsafe core.hasMetDamage, (try? row(of: key)) == nil { return }
    guard case .limitExceeded(let text) = error, let property else {
      return unsafe core.meet(error)
    }
    RealmSession.stop(.limitExceeded("\(text) (property '\(schema.className).\(property)')"))
  }

  /// The property of an object without a realm whose string is longer than a column takes.
  func propertyBeyondLimit(of object: ObjectBase) -> String? {
    schema.properties.first { property in
      property.shape.type == .string && property.shape.collection == .none
        && (object._value(of: property) as? String)?.utf8.count ?? 0 > StringLeaf.maximumByteCount
    }?.name
  }
}

extension ClassInfo {
  /// The row of an object; nil if it does not exist.
  func present(_ key: ObjectKey) -> Row? { reading(of: key, try row(of: key), else: nil) }
}

/// The value of `body`, which reads a property, or a placeholder.
@inlinable @inline(__always)
func _reading<R>(
  _ object: ObjectBase, _ slot: _ColumnSlot, _ body: @autoclosure () throws(StorageError) -> R,
  else placeholder: @autoclosure () -> R
) -> R {
  do throws(StorageError) { return try body() } catch {
    object._meetDamage(error, slot)
    return placeholder()
  }
}

/// The value of a property whose object has no row: the object records key paths, or was lost with
/// damaged bytes.
@usableFromInline @inline(never)
func _readWithoutRow<Value: _Persistable>(_ object: ObjectBase, _ offset: UInt) -> Value {
  guard let info = object._info else { return Value._traced(by: _Recording(object, offset)) }
  return Value.placeholder(
    object, unsafe info.hot.pointee.columnAtOffset[Int(bitPattern: offset >> 3)])
}

extension _Persistable {
  /// What a property reads as whose object was lost with damaged bytes. Collections find that out
  /// by themselves, and are empty.
  static func placeholder(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self {
    let shape = _shape
    return shape.collection != .none || shape.type == .linkingObjects
      ? _load(object, slot) : _makeDefault()
  }
}
