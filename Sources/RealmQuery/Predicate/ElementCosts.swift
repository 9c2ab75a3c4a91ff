// SPDX-License-Identifier: Apache-2.0

// What a condition costs beyond its comparisons: the elements of the collections and the bytes of
// the strings that it looks into, which one object may have in any number.

package import RealmStorage
package import RealmTables

/// The properties of an object by whose sizes a condition takes longer.
package struct ElementCosts: Hashable, Sendable {
  private struct Part: Hashable {
    let name: String
    /// The comparisons with each element.
    var comparisonCount: Int
    /// Whether each comparison reads a string to its end.
    var readsTexts: Bool
  }

  /// The bytes of a string that are read in the time of a comparison, about.
  private static let byteCount = 16

  private var parts: [Part] = []
  /// Whether the condition leads to other objects or into values of any type, or holds collections
  /// against each other: the object alone does not say what that takes.
  private var isUnknown = false

  /// Whether the condition costs the same for each object.
  package var isEmpty: Bool { parts.isEmpty && !isUnknown }

  /// - Parameter schema: The class of the condition's objects.
  package init(_ condition: BoundPredicate, of schema: TableSchema) { add(condition, schema) }

  private mutating func add(_ condition: BoundPredicate, _ schema: TableSchema) {
    switch condition {
    // The position of a region is two numbers, whatever follows them.
    case .constant, .within: break
    case .not(let part): add(part, schema)
    case .all(let parts), .any(let parts): for part in parts { add(part, schema) }
    case .comparison(let comparison):
      let paths = comparison.left.paths + comparison.right.paths
      // Two strings are read up to their first difference.
      let readsTexts =
        comparison.operation.isTextual || !comparison.options.isEmpty || paths.count > 1
      var collectionCount = 0
      for path in paths {
        guard let path, let column = path.names.first.flatMap(schema.column(named:)),
          path.names.count == 1, path.parts.isEmpty
        else {
          isUnknown = isUnknown || path?.names.isEmpty != true
          continue
        }
        let isCollection = column.collection != .none
        if isCollection { collectionCount += 1 }
        guard isCollection || readsTexts && column.hasTexts else { continue }
        add(
          Part(
            name: column.name, comparisonCount: max(comparison.weight, 1),
            readsTexts: readsTexts && column.hasTexts && path.function == nil))
      }
      isUnknown = isUnknown || collectionCount > 1
    }
  }

  private mutating func add(_ part: Part) {
    guard let place = parts.firstIndex(where: { $0.name == part.name }) else {
      parts.append(part)
      return
    }
    parts[place].comparisonCount += part.comparisonCount
    parts[place].readsTexts = parts[place].readsTexts || part.readsTexts
  }

  /// The comparisons for one object that come on top of the condition's own.
  ///
  /// - Parameter limit: More is not counted: the result is the limit then.
  package func count(
    of row: Row, _ schema: TableSchema, limit: Int
  ) throws(StorageError) -> Int {
    if isUnknown { return limit }
    var left = limit
    for part in parts where left > 0 {
      guard let column = schema.column(named: part.name) else { continue }
      let size = try Self.size(
        of: column, row, readsTexts: part.readsTexts, limit: left / part.comparisonCount + 1)
      let (cost, isOver) = size.multipliedReportingOverflow(by: part.comparisonCount)
      left = isOver || cost >= left ? 0 : left - cost
    }
    return limit - left
  }

  /// The number of elements of a property, and of parts of strings.
  private static func size(
    of column: Column, _ row: Row, readsTexts: Bool, limit: Int
  ) throws(StorageError) -> Int {
    switch column.collection {
    case .none: return try row.mixedValue(of: column).textByteCount / byteCount
    case .dictionary where !readsTexts: return try row.dictionary(column).count
    case .dictionary:
      let entries = try row.dictionary(column)
      var size = entries.count
      for index in 0..<entries.count where size < limit {
        let byteCount = try entries.mixed(at: index).textByteCount
        size += byteCount / Self.byteCount
      }
      return size
    case .list, .set:
      let list = try row.list(column)
      var size = list.count
      guard readsTexts else { return size }
      for index in 0..<list.count where size < limit {
        let byteCount = try list.mixedValue(at: index).textByteCount
        size += byteCount / Self.byteCount
      }
      return size
    }
  }
}

extension BoundOperand {
  /// The paths of the operand; nil for what is not known from the object alone.
  fileprivate var paths: [ColumnPath?] {
    switch self {
    case .value, .values: []
    case .property(let path): [path]
    case .matchCount, .outer: [nil]
    case .arithmetic(_, let left, let right): left.paths + right.paths
    }
  }
}

extension Column {
  fileprivate var hasTexts: Bool {
    switch type {
    case .string, .binary, .mixed: true
    default: false
    }
  }
}

extension MixedValue {
  fileprivate var textByteCount: Int {
    switch self {
    case .string(let bytes), .binary(let bytes): unsafe bytes.bytes.count
    default: 0
    }
  }
}
