// SPDX-License-Identifier: Apache-2.0

// Messages about damage that is found while an object or a collection is read: what was read,
// besides what is wrong. Only errors come here, so speed does not matter.

import RealmSession
public import RealmStorage
import RealmTables

extension ObjectBase {
  /// Traps because a read of a property found damage.
  @usableFromInline @inline(never)
  final func _stopReading(_ error: StorageError, _ slot: _ColumnSlot) -> Never {
    guard let info = _info else { stop(error) }
    let property = info.schema.properties[Int(slot.property)].name
    unsafe info.stop(error, reading: property, of: _key)
  }
}

extension ClassInfo {
  /// Traps because a read of an object, or of one of its properties, found damage.
  func stop(_ error: StorageError, reading property: String? = nil, of key: ObjectKey) -> Never {
    guard case .corrupted(let text) = error else { RealmSession.stop(error) }
    let place = property.map { "'\(schema.className).\($0)'" } ?? "a '\(schema.className)'"
    RealmSession.stop(
      .corrupted("\(text) (found while \(place) was read, object key \(key.rawValue))"))
  }
}

extension ClassInfo {
  /// Traps because a write of a property failed; the message of a limit names the property.
  @inline(never)
  func stop(_ error: StorageError, writing property: String?) -> Never {
    guard case .limitExceeded(let text) = error, let property else { RealmSession.stop(error) }
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
  func present(_ key: ObjectKey) -> Row? {
    do throws(StorageError) { return try row(of: key) } catch { stop(error, of: key) }
  }
}

/// The value of `body`, which reads a property; a trap says which one.
@inlinable @inline(__always)
func _orStop<R>(
  _ object: ObjectBase, _ slot: _ColumnSlot, _ body: @autoclosure () throws(StorageError) -> R
) -> R {
  do throws(StorageError) { return try body() } catch { object._stopReading(error, slot) }
}
