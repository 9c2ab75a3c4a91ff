// SPDX-License-Identifier: Apache-2.0

// Stored values as values of a program.

import Foundation
import RealmStorage
import RealmTables

extension TableValue {
  /// The value as a value of Swift; nil for null, links and collections.
  var any: Any? {
    switch self {
    case .int(let number): Int(number)
    case .bool(let bool): bool
    case .float(let number): number
    case .double(let number): number
    case .string(let text): text
    case .binary(let bytes): Data(bytes)
    case .timestamp(let time): Date(time)
    case .decimal(let bits): Decimal128(low: bits.low, high: bits.high)
    case .objectId(let bytes): ObjectId(high: bytes.high, low: bytes.low)
    case .uuid(let bytes): UUID(bytes)
    case .null, .link, .typedLink, .list, .dictionary: nil
    }
  }
}
