// SPDX-License-Identifier: Apache-2.0

// Primary keys in messages.

import Foundation
import RealmStorage
import RealmTables

extension TableValue {
  /// The value of a primary key as messages spell it.
  var primaryKeyText: String {
    switch self {
    case .null: "(null)"
    case .int(let number): "\(number)"
    case .string(let string): string
    case .objectId(let bytes): ObjectId(high: bytes.high, low: bytes.low).stringValue
    case .uuid(let bytes): "\(UUID(bytes))"
    default: "\(self)"
    }
  }
}
