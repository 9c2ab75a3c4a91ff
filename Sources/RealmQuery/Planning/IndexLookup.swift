// SPDX-License-Identifier: Apache-2.0

// Conditions that a search index answers, or narrows down.

import RealmStorage
import RealmTables

/// A search in the index of a column. The objects that it finds are tested all the same.
struct IndexLookup {
  enum Goal {
    /// Equality with one of some values.
    case values([MixedValue])
    /// Strings that begin so; not empty.
    case prefix(ByteView)
    /// Texts with certain words.
    case words(TextSearch)
  }

  let column: Column
  let goal: Goal

  /// The lookup that gives all objects of a test; nil if the column's index cannot.
  init?(_ column: Column, _ test: ValueTest) {
    guard column.hasIndex, column.collection == .none else { return nil }
    self.column = column
    if column.isFullText {
      guard case .words(let search) = test.constant, search.narrows else { return nil }
      goal = .words(search)
      return
    }
    switch (test.operation, test.constant) {
    case (.equal, .value(let value)): goal = .values([value])
    case (.in, .oneOf(let values)): goal = .values(values)
    case (.beginsWith, .text(let matcher, isBinary: false)):
      guard column.type == .string, let prefix = test.needle, prefix.count > 0, matcher.isExact
      else { return nil }
      goal = .prefix(prefix)
    default: return nil
    }
    // Equal decimals may be entered at positions that cannot be listed.
    if column.type == .mixed, case .values(let values) = goal,
      values.contains(where: { $0.isDecimal || $0.isBeyondIntegers })
    {
      return nil
    }
  }

  /// The only value searched for, if the matches of the index need not be tested any more.
  var exactValue: MixedValue? {
    guard case .values(let values) = goal, values.count == 1, values[0].isPlaced(in: column),
      !values[0].isNaN
    else { return nil }
    return values[0]
  }

  /// Ascending keys among which all matches are; nil if they are more than `limit`.
  func candidates(in table: Table, limit: Int) throws(StorageError) -> [ObjectKey]? {
    switch goal {
    case .words(let search):
      guard let index = try table.wordIndex(of: column) else { return nil }
      return try search.candidates(in: index)
    case .prefix(let prefix):
      guard let index = try table.index(of: column) else { return nil }
      return try index.candidates(forPrefix: prefix, limit: limit)
    case .values(let values):
      guard let index = try table.index(of: column) else { return nil }
      if values.count == 1, values[0].isPlaced(in: column) {
        return try index.findAll(values[0])
      }
      var keys: [ObjectKey] = []
      for value in values {
        for place in column.type == .mixed || column.type == .int ? value.places : [value] {
          keys += try index.findAll(value, placedLike: place)
        }
        if keys.count > limit { return nil }
      }
      // Equal values of different types among the constants would give keys twice.
      return Set(keys).sorted()
    }
  }
}

extension MixedValue {
  /// Whether decimals that equal the number are too large to be entered as integers.
  fileprivate var isBeyondIntegers: Bool {
    switch self {
    // The rounding of floating-point numbers may lead there, too.
    case .float(let number): number.magnitude > 0x1p62
    case .double(let number): number.magnitude > 0x1p62
    default: false
    }
  }

  /// Whether all equal values of the column are entered where this one is.
  fileprivate func isPlaced(in column: Column) -> Bool {
    switch (column.type, self) {
    case (.mixed, _): false
    case (.int, .float), (.int, .double): false
    default: true
    }
  }

  /// Values that are entered in an index wherever one that equals this may be.
  fileprivate var places: [MixedValue] {
    let number: Double
    var decimal: DecimalBits?
    switch self {
    case .int(let value):
      number = Double(value)
      // Not all integers are floating-point numbers.
      guard Int64(exactly: number) == value else { return [self] }
    case .float(let value):
      number = Double(value)
      decimal = DecimalBits(float: value)
    case .double(let value): number = value
    default: return [self]
    }
    var places: [MixedValue] = [.double(number), .decimal(decimal ?? DecimalBits(double: number))]
    if let float = Float(exactly: number) { places.append(.float(float)) }
    if let integer = Int64(exactly: number) { places.append(.int(integer)) }
    return places
  }
}
