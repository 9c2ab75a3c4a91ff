// SPDX-License-Identifier: Apache-2.0

// Conditions on String and Binary columns.

import RealmStorage
import RealmTables

/// A condition on the bytes of a string or binary.
struct BytesCondition: Condition {
  enum Test {
    case equal(ByteView?)
    case notEqual(ByteView?)
    /// Bytes to search for as they are; not empty.
    case contains(ByteView)
    /// A text without regard to case or marks. The needle is for values of ASCII, the test for all.
    indirect case needle(ASCIINeedle?, NeedlePlace, isNegated: Bool, ValueTest)
    indirect case other(ValueTest)
  }

  let leafIndex: Int
  let isBinary: Bool
  let test: Test

  var isEquality: Bool {
    switch test {
    case .equal, .notEqual: true
    case .contains, .needle, .other: false
    }
  }

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let leaf = try BytesLeaf(
      try cluster.scannedLeaf(leafIndex), count: cluster.count, terminator: isBinary ? 0 : 1,
      in: cluster.space)
    switch test {
    case .equal(let value):
      return try unsafe leaf.mask(
        equalTo: value, count: cluster.count, rows: rows, upcoming: cluster.upcomingLeaf(leafIndex))
    case .notEqual(let value):
      return unsafe rows
        - (try leaf.mask(
          equalTo: value, count: cluster.count, rows: rows,
          upcoming: cluster.upcomingLeaf(leafIndex)))
    case .contains(let part):
      return try leaf.mask(containing: part, count: cluster.count, rows: rows)
    case .needle(let needle, let place, isNegated: let isNegated, let test):
      let found = try leaf.mask(of: needle, place, count: cluster.count, rows: rows) {
        test.matches(.string($0)) != isNegated
      }
      return isNegated ? rows - found : found
    case .other(let test):
      var found = LeafMask.none
      for row in rows where test.matches(value(try leaf.bytes(at: row))) { found.insert(row) }
      return found
    }
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    let bytes = isBinary ? try row.binary(leafIndex) : try row.stringBytes(leafIndex)
    return switch test {
    case .equal(let value): bytes == value
    case .notEqual(let value): bytes != value
    case .contains(let part): bytes.map { $0.contains(part) } ?? false
    case .needle(_, _, _, let test), .other(let test): test.matches(value(bytes))
    }
  }

  @inline(__always)
  private func value(_ bytes: ByteView?) -> MixedValue {
    guard let bytes else { return .null }
    return isBinary ? .binary(bytes) : .string(bytes)
  }
}
