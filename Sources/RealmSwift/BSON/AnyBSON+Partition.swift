// SPDX-License-Identifier: Apache-2.0

// Values that name partitions.

#if Sync
import Foundation
import RealmFormats
import RealmSession

extension AnyBSON {
  /// The value in the name of a realm's file (P3 A).
  var fileName: String {
    switch self {
    case .string(let text): "s_" + text
    case .int32(let number): "i_\(number)"
    case .int64(let number): "l_\(number)"
    case .objectId(let id): "o_" + id.stringValue
    case .uuid(let id): "u_" + id.uuidString.lowercased()
    case .null: "null"
    default: throwRealmException("Unsupported partition value: \(self)")
    }
  }

  /// The value as sessions name it.
  var partitionText: String { ExtendedJSONWriter.text(bson) }
}
#endif
