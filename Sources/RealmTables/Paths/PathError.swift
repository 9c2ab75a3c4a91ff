// SPDX-License-Identifier: Apache-2.0

// Why a change that another device made cannot be made here.

package import RealmStorage

/// The error of walking a path, or of a change at its end. All but `storage` say that the change
/// does not fit what is here.
package enum PathError: Error, Hashable, Sendable {
  /// A table has no such property.
  case missingField(table: String, field: String)
  /// A table has no such object.
  case missingObject(table: String)
  /// An embedded object is to be entered where there is none.
  case missingEmbeddedObject(field: String)
  /// A dictionary has no such key.
  case missingKey(field: String, key: String)
  /// A list is shorter.
  case indexOutOfRange(field: String, index: Int, size: Int)
  /// A list has another size than at the other device.
  case sizeMismatch(field: String, expected: Int, size: Int)
  /// What is there is no list, dictionary, set or value, as the change needs it.
  case wrongKind(field: String)
  /// A property is of another type than a value, or does not take null.
  case wrongType(field: String)
  /// A value is larger, or nested deeper, than the format can hold, or links to nothing. The
  /// transaction has to be rolled back.
  case refused(String)
  /// The database failed.
  case storage(StorageError)
}

extension PathError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingField(let table, let field): "'\(table)' has no property '\(field)'"
    case .missingObject(let table): "'\(table)' has no such object"
    case .missingEmbeddedObject(let field): "'\(field)' holds no embedded object"
    case .missingKey(let field, let key): "'\(field)' has no key '\(key)'"
    case .indexOutOfRange(let field, let index, let size):
      "'\(field)' has no place \(index), but \(size) elements"
    case .sizeMismatch(let field, let expected, let size):
      "'\(field)' has \(size) elements instead of \(expected)"
    case .wrongKind(let field): "'\(field)' holds something of another kind"
    case .wrongType(let field): "'\(field)' is of another type"
    case .refused(let reason): reason
    case .storage(let error): "\(error)"
    }
  }
}

/// Runs `body`, whose errors are those of the database.
@inline(__always) @discardableResult
func accessing<R>(_ body: @autoclosure () throws(StorageError) -> R) throws(PathError) -> R {
  do {
    return try body()
  } catch {
    if case .limitExceeded(let reason) = error { throw .refused(reason) }
    throw .storage(error)
  }
}
