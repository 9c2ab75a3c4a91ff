// SPDX-License-Identifier: Apache-2.0

// The text of a partition's value.

package import RealmFormats

/// Reads the values of partitions.
package enum PartitionText {
  /// The canonical text of a partition's value; nil if no partition has such a value.
  package static func canonical(_ text: String) -> String? {
    value(text).map { ExtendedJSONWriter.text($0) }
  }

  /// The value of a partition; nil if no partition has such a value.
  package static func value(_ text: String) -> BSONValue? {
    guard let value = try? ExtendedJSONReader.parse(text) else { return nil }
    switch value {
    // A number has one partition, however long it was written.
    case .int32(let number): return .int64(Int64(number))
    case .null, .string, .objectID, .int64: return value
    case .binary where value.uuid != nil: return value
    default: return nil
    }
  }
}
