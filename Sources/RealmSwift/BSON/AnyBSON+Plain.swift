// SPDX-License-Identifier: Apache-2.0

// Values of BSON as those that programs cast from `Any`.

#if Sync
import Foundation

extension AnyBSON {
  /// The value without its kind: integers of both sizes are `Int`, null is `NSNull`.
  var plain: Any {
    switch self {
    case .double(let value): value
    case .string(let value): value
    case .document(let value): value.mapValues(\.plain)
    case .array(let value): value.map(\.plain)
    case .binary(let value): value
    case .objectId(let value): value
    case .bool(let value): value
    case .datetime(let value), .timestamp(let value): value
    case .regex(let value): value
    case .int32(let value): Int(value)
    case .int64(let value): Int(value)
    case .decimal128(let value): value
    case .uuid(let value): value
    case .minKey: MinKey()
    case .maxKey: MaxKey()
    case .null: NSNull()
    }
  }
}

extension AnyBSON? {
  /// The value without its kind; `NSNull` for nil.
  var plain: Any { self?.plain ?? NSNull() }
}
#endif
