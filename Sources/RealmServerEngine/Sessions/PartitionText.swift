// SPDX-License-Identifier: Apache-2.0

// The text of a partition's value.

import RealmFormats

/// Reads the values of partitions.
enum PartitionText {
  /// The canonical text of a partition's value; nil if no partition has such a value.
  static func canonical(_ text: String) -> String? {
    guard let value = try? ExtendedJSONReader.parse(text) else { return nil }
    switch value {
    case .null, .string, .objectID: break
    // A number has one partition, however long it was written.
    case .int32(let number): return ExtendedJSONWriter.text(.int64(Int64(number)))
    case .int64: break
    case .binary where value.uuid != nil: break
    default: return nil
    }
    return ExtendedJSONWriter.text(value)
  }
}
