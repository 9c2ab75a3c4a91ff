// SPDX-License-Identifier: Apache-2.0

// The order of values, for values that were copied out of the file.

package import RealmStorage

extension TableValue {
  /// Negative, zero or positive as this value comes before, with or after the other in the order of
  /// values. Collections are equal to each other.
  ///
  /// - SeeAlso: file format, part 4, section 13.
  package func compare(to other: TableValue) -> Int {
    withMixed { left in other.withMixed { right in left.compare(to: right) } }
  }

  /// Calls `body` with a view of the value that is valid during the call.
  package func withMixed<R>(_ body: (MixedValue) -> R) -> R {
    switch self {
    case .null: return body(.null)
    case .int(let number): return body(.int(number))
    case .bool(let truth): return body(.bool(truth))
    case .float(let number): return body(.float(number))
    case .double(let number): return body(.double(number))
    case .string(var text):
      return text.withUTF8 { body(.string(ByteView(UnsafeRawBufferPointer($0)))) }
    case .binary(let bytes): return bytes.withUnsafeBytes { body(.binary(ByteView($0))) }
    case .timestamp(let date): return body(.timestamp(date))
    case .decimal(let bits): return body(.decimal(bits))
    case .objectId(let bytes): return body(.objectId(bytes))
    case .uuid(let bytes): return body(.uuid(bytes))
    case .link(let key): return body(.typedLink(table: 0, key: key.rawValue))
    case .typedLink(let table, let key):
      return body(.typedLink(table: Int64(table.rawValue), key: key.rawValue))
    case .list: return body(.list(.null))
    case .dictionary: return body(.dictionary(.null))
    }
  }
}
