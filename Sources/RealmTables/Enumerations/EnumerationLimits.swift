// SPDX-License-Identifier: Apache-2.0

// When a string column is enumerated, and when it ceases to be.
//
// The numbers bound costs. A transaction that writes into an enumerated column reads all its values
// once, and other implementations compare a string with one after the other at each write. So there
// are never many. A column is chosen with half of the values that it may get, so that it does not
// go back and forth; filling it beyond that costs one pass over the table.

/// The bounds of enumerated columns.
package struct EnumerationLimits: Sendable {
  /// The objects created in a table by a transaction before its columns are measured.
  package var growthCount = 2048
  /// The values allowed in a column, however few its objects are.
  package var valueCountMin = 256
  /// The values allowed in a column, however many its objects are.
  package var valueCountMax = 1024
  /// The objects for each value, on average, between these two.
  package var objectsPerValue = 8
  /// The bytes to be saved by a column: a page.
  package var savedByteCountMin = 4096

  package init() {}

  /// The values allowed in a column of a table with so many objects.
  func valueCount(forObjects objectCount: Int) -> Int {
    min(valueCountMax, max(valueCountMin, objectCount / objectsPerValue))
  }
}
