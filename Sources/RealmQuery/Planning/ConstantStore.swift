// SPDX-License-Identifier: Apache-2.0

// The constants of a query in the form in which stored values are compared with them.

import RealmStorage
import RealmTables

/// Owns the bytes of constants, so that views of them can stand beside views of stored values.
@safe
final class ConstantStore: @unchecked Sendable {
  // Sendable: filled while a plan is made, by one thread, and only read afterwards.
  private var buffers: [UnsafeMutableRawBufferPointer] = unsafe []

  deinit {
    unsafe buffers.forEach { unsafe $0.deallocate() }
  }

  /// A view of a copy that lives as long as the store.
  func view(_ bytes: some Collection<UInt8>) -> ByteView {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    unsafe buffer.copyBytes(from: bytes)
    unsafe buffers.append(buffer)
    return unsafe ByteView(UnsafeRawBufferPointer(buffer))
  }

  /// The constant as a value; nil for collections, which are not compared.
  ///
  /// - Parameter target: the table of a link that names none.
  func value(_ value: TableValue, target: TableKey?) -> MixedValue? {
    switch value {
    case .null: .null
    case .int(let number): .int(number)
    case .bool(let truth): .bool(truth)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let text): .string(view(text.utf8))
    case .binary(let bytes): .binary(view(bytes))
    case .timestamp(let date): .timestamp(date)
    case .decimal(let number): .decimal(number)
    case .objectId(let id): .objectId(id)
    case .uuid(let id): .uuid(id)
    case .link(let key): target.map { .object($0, key) }
    case .typedLink(let table, let key): .object(table, key)
    case .list, .dictionary: nil
    }
  }
}

extension MixedValue {
  /// A link to an object as values compare it.
  static func object(_ table: TableKey, _ key: ObjectKey) -> MixedValue {
    .typedLink(table: .init(table.rawValue), key: key.rawValue)
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// Whether the value is a floating-point NaN, which equals nothing and is in no order.
  var isNaN: Bool {
    switch self {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    default: false
    }
  }

  var isDecimal: Bool { if case .decimal = self { true } else { false } }

  /// Whether the value is a float or a double.
  var isFloatingNumber: Bool {
    switch self {
    case .float, .double: true
    default: false
    }
  }

  /// Values of one kind are in order among each other.
  var kind: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .binary: 4
    case .timestamp: 5
    case .objectId: 6
    case .uuid: 7
    default: 8
    }
  }
}
