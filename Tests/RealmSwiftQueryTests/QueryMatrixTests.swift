// SPDX-License-Identifier: Apache-2.0

// Every operator of `where`, on every type, with and without null and index, on a property, through
// links and in collections: the same objects as the plain meaning of the operator gives.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Random objects, and queries of them compared with their meaning.
private struct Matrix {
  let rows: [MatrixRow]
  let all: Results<MatrixRow>
  private let file: TemporaryRealm
  var random: SeededGenerator
  private(set) var queryCount = 0
  /// The number of queries that distinguish objects.
  private(set) var decidedCount = 0

  init(seed: UInt64) throws {
    file = try TemporaryRealm([MatrixRow.self, MatrixPart.self])
    var random = SeededGenerator(seed: seed)
    let realm = try file.open()
    rows = try realm.write {
      let rows = (0..<40).map { realm.create(MatrixRow.self, value: ["id": $0]) }
      for row in rows {
        row.fill(&random)
        if random.chance(0.7) { row.next = rows.randomElement(using: &random) }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          if let child = rows.randomElement(using: &random) { row.children.append(child) }
          row.byName[["a", "b"].randomElement(using: &random) ?? "a"] =
            random.chance(0.3) ? .some(nil) : rows.randomElement(using: &random)
        }
        if random.chance(0.6) {
          row.part = MatrixPart(value: ["int": MatrixValues.ints.randomElement(using: &random) ?? 0]
          )
        }
      }
      return rows
    }
    all = realm.objects(MatrixRow.self)
    self.random = random
  }

  /// Compares a query with what it means for single objects.
  mutating func expect(
    _ label: String, _ query: (Query<MatrixRow>) -> Query<Bool>, _ meaning: (MatrixRow) -> Bool
  ) {
    let isNegated = random.chance(0.25)
    let found = Array(all.where { isNegated ? !(query($0)) : query($0) }.map(\.id))
    let expected = rows.filter { meaning($0) != isNegated }.map(\.id)
    queryCount += 1
    if !expected.isEmpty && expected.count < rows.count { decidedCount += 1 }
    if found != expected {
      let text = query(Query<MatrixRow>._constructForTesting())._constructPredicate()
      Issue.record("\(label) \(isNegated ? "not " : "")\(text): \(found) instead of \(expected)")
    }
  }

  /// Compares a condition on a property, and the same through links and collections.
  mutating func expect<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ condition: (Query<V>) -> Query<Bool>,
    _ meaning: (PlainValue) -> Bool
  ) {
    func value(_ row: MatrixRow?) -> PlainValue {
      row.map { PlainValue($0[keyPath: path]) } ?? .null
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      expect("next: " + label, { condition($0.next[dynamicMember: path]) }) {
        meaning(value($0.next))
      }
    case 1:
      expect("children: " + label, { condition($0.children[dynamicMember: path]) }) {
        $0.children.contains { meaning(value($0)) }
      }
    case 2:
      expect("parents: " + label, { condition($0.parents[dynamicMember: path]) }) {
        $0.parents.contains { meaning(value($0)) }
      }
    case 3:
      expect("next.children: " + label, { condition($0.next.children[dynamicMember: path]) }) {
        $0.next.map { $0.children.contains { meaning(value($0)) } } ?? meaning(.null)
      }
    case 4:
      expect("byName: " + label, { condition($0.byName[dynamicMember: path]) }) {
        $0.byName.values.contains { meaning(value($0)) }
      }
    case 5:
      expect("count: " + label, { condition($0.children[dynamicMember: path]).count >= 2 }) {
        Array($0.children).filter { meaning(value($0)) }.count >= 2
      }
    default:
      expect(label, { condition($0[dynamicMember: path]) }) { meaning(value($0)) }
    }
  }

  mutating func any<T>(of values: [T]) -> T {
    guard let value = values.randomElement(using: &random) else {
      preconditionFailure("no values to choose from")
    }
    return value
  }

  // MARK: Operators

  mutating func equality<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ values: [V]
  ) {
    for _ in 0..<2 {
      let value = any(of: values)
      let plain = PlainValue(value)
      expect("\(label) ==", path, { $0 == value }) { $0.equals(plain) }
      expect("\(label) !=", path, { $0 != value }) { !$0.equals(plain) }
      let several = (0..<Int.random(in: 0...3, using: &random)).map { _ in any(of: values) }
      expect("\(label) in", path, { $0.in(several) }) { found in
        several.contains { found.equals(PlainValue($0)) }
      }
    }
  }

  mutating func columns<V: _Persistable>(
    _ label: String, _ left: KeyPath<MatrixRow, V>, _ right: KeyPath<MatrixRow, V>
  ) {
    expect(
      "\(label) == column", { $0[dynamicMember: left] == $0[dynamicMember: right] },
      { PlainValue($0[keyPath: left]).equals(PlainValue($0[keyPath: right])) })
    expect(
      "\(label) != column", { $0[dynamicMember: left] != $0.next[dynamicMember: right] },
      {
        !PlainValue($0[keyPath: left]).equals(
          $0.next.map { PlainValue($0[keyPath: right]) } ?? .null)
      })
  }

  mutating func order<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ values: [V]
  ) where V.PersistedType: _QueryOrdered {
    let value = any(of: values)
    let plain = PlainValue(value)
    expect("\(label) <", path, { $0 < value }) { $0.compares(plain) { $0 < 0 } }
    expect("\(label) <=", path, { $0 <= value }) { $0.compares(plain) { $0 <= 0 } }
    /// Strings are greater than null.
    func exceedsNull(_ value: PlainValue) -> Bool {
      if case .text = value { plain == .null && V._shape.type == .string } else { false }
    }
    expect("\(label) >", path, { $0 > value }) {
      $0.compares(plain) { $0 > 0 } || exceedsNull($0)
    }
    expect("\(label) >=", path, { $0 >= value }) {
      $0.compares(plain) { $0 >= 0 } || exceedsNull($0)
    }
    expect(
      "\(label) < column", { $0[dynamicMember: path] < $0.next[dynamicMember: path] },
      { row in
        guard let next = row.next else { return false }
        return PlainValue(row[keyPath: path]).compares(PlainValue(next[keyPath: path])) { $0 < 0 }
      })
  }

  mutating func ranges<V: _Persistable & Comparable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ optional: KeyPath<MatrixRow, V?>,
    _ values: [V]
  ) where V.PersistedType: _QueryOrdered, V?: _Persistable {
    let (first, second) = (any(of: values), any(of: values))
    guard first <= second || second <= first else { return }
    let (low, high) = first <= second ? (first, second) : (second, first)
    let (lower, upper) = (PlainValue(low), PlainValue(high))
    func isWithin(_ value: PlainValue, _ isOpen: Bool) -> Bool {
      value.compares(lower) { $0 >= 0 } && value.compares(upper) { isOpen ? $0 < 0 : $0 <= 0 }
    }
    expect(
      "\(label) in a range", { $0[dynamicMember: path].contains(low..<high) },
      { isWithin(PlainValue($0[keyPath: path]), true) })
    expect("\(label) in a closed range", path, { $0.contains(low...high) }) { isWithin($0, false) }
    expect("\(label)? in a closed range", optional, { $0.contains(low...high) }) {
      isWithin($0, false)
    }
  }

  mutating func text<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ values: [V], hasOptions: Bool
  ) where V.PersistedType: _QueryBinary {
    let options: [StringOptions] =
      hasOptions
      ? [[], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]]
      : [[]]
    for options in options {
      let value = any(of: values)
      let plain = PlainValue(value).folded(options)
      let name = "\(label)[\(options.rawValue)]"
      expect("\(name) contains", path, { $0.contains(value, options: options) }) {
        $0.folded(options).contains(plain)
      }
      expect("\(name) starts", path, { $0.starts(with: value, options: options) }) {
        $0.folded(options).has(plain) { $0.starts(with: $1) }
      }
      expect("\(name) ends", path, { $0.ends(with: value, options: options) }) {
        $0.folded(options).has(plain) { $0.suffix($1.count).elementsEqual($1) }
      }
      expect("\(name) equals", path, { $0.equals(value, options: options) }) {
        $0.folded(options).equals(plain)
      }
      expect("\(name) differs", path, { $0.notEquals(value, options: options) }) {
        !$0.folded(options).equals(plain)
      }
      expect(
        "\(name) contains column",
        { $0[dynamicMember: path].contains($0.next[dynamicMember: path], options: options) },
        { row in
          guard let next = row.next else { return false }
          return PlainValue(row[keyPath: path]).folded(options)
            .contains(PlainValue(next[keyPath: path]).folded(options))
        })
    }
  }

  mutating func patterns<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ pattern: (String) -> V
  ) where V.PersistedType: _QueryString {
    for text in ["*", "a*", "?", "*b*", "*é", "??", "A?", "r?sum*", "*X*X*", ""] {
      let value = pattern(text)
      let isInsensitive = random.chance(0.5)
      let options: StringOptions = isInsensitive ? .caseInsensitive : []
      expect("\(label) like \(text)", path, { $0.like(value, caseInsensitive: isInsensitive) }) {
        $0.folded(options).isLike(PlainValue(text).folded(options))
      }
    }
  }
}

// MARK: - Collections

extension Matrix {
  mutating func collection<C: RealmCollection & _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, C>, _ values: [C.Element]
  ) {
    let value = any(of: values)
    let plain = PlainValue(value)
    func elements(_ row: MatrixRow) -> [PlainValue] { row[keyPath: path].map { PlainValue($0) } }
    expect("\(label) contains", { $0[dynamicMember: path].contains(value) }) {
      elements($0).contains { $0.equals(plain) }
    }
    let several = (0..<Int.random(in: 0...3, using: &random)).map { _ in any(of: values) }
    expect("\(label) containsAny", { $0[dynamicMember: path].containsAny(in: several) }) { row in
      several.contains { value in elements(row).contains { $0.equals(PlainValue(value)) } }
    }
    let count = Int.random(in: 0...3, using: &random)
    expect("\(label) count", { $0[dynamicMember: path].count >= count }) {
      elements($0).count >= count
    }
    expect("\(label) count through a link", { $0.next[dynamicMember: path].count == count }) {
      $0.next.map { elements($0).count == count } ?? false
    }
  }

  mutating func aggregates<C: RealmCollection & _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, C>, _ values: [C.Element]
  ) where C.Element: _HasPersistedType, C.Element.PersistedType: _QueryNumeric & _QueryOrdered {
    let value = any(of: values)
    let plain = PlainValue(value)
    func elements(_ row: MatrixRow) -> [PlainValue] { row[keyPath: path].map { PlainValue($0) } }
    expect("\(label) min", { $0[dynamicMember: path].min >= value }) {
      PlainValue.least(elements($0)).compares(plain) { $0 >= 0 }
    }
    expect("\(label) max", { $0[dynamicMember: path].max == value }) {
      PlainValue.greatest(elements($0)).equals(plain)
    }
    guard plain != .null, !(value is Date) else { return }
    expect("\(label) sum", { $0[dynamicMember: path].sum < value }) {
      PlainValue.sum(elements($0)).compares(plain) { $0 < 0 }
    }
    expect("\(label) avg", { $0[dynamicMember: path].avg > value }) {
      PlainValue.average(elements($0)).compares(plain) { $0 > 0 }
    }
  }

  /// Whether all elements lie in a range.
  mutating func elementRanges<V: _Scalar & RealmCollectionValue & Comparable>(
    _ label: String, _ paths: MatrixPaths<V>
  ) where V.PersistedType: _QueryNumeric {
    // What is no number is no end of a range.
    let ends = [any(of: paths.values), any(of: paths.values)].filter { $0 == $0 }.sorted()
    guard let low = ends.first, let high = ends.last else { return }
    func isWithin(_ values: some Sequence, _ isClosed: Bool) -> Bool {
      let values = values.map { PlainValue($0) }
      return PlainValue.least(values).compares(PlainValue(low)) { $0 >= 0 }
        && PlainValue.greatest(values).compares(PlainValue(high)) { isClosed ? $0 <= 0 : $0 < 0 }
    }
    let (list, optionals, map) = (paths.list, paths.optionalList, paths.map)
    expect("\(label) list in", { $0[dynamicMember: list].contains(low...high) }) {
      isWithin($0[keyPath: list], true)
    }
    expect("\(label)? list in", { $0[dynamicMember: optionals].contains(low...high) }) {
      isWithin($0[keyPath: optionals], true)
    }
    expect("\(label) map in", { $0[dynamicMember: map].contains(low...high) }) {
      isWithin($0[keyPath: map].values, true)
    }
    expect("\(label) map within", { $0[dynamicMember: map].contains(low..<high) }) {
      isWithin($0[keyPath: map].values, false)
    }
  }

  /// Aggregates of a property of the objects in a collection.
  mutating func memberAggregates<V: _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, V>, _ values: [V]
  ) where V.PersistedType: _QueryNumeric & _QueryOrdered {
    let value = any(of: values)
    let plain = PlainValue(value)
    func elements(_ row: MatrixRow) -> [PlainValue] {
      row.children.map { PlainValue($0[keyPath: path]) }
    }
    expect("\(label) @min", { $0.children[dynamicMember: path].min <= value }) {
      PlainValue.least(elements($0)).compares(plain) { $0 <= 0 }
    }
    expect("\(label) @max", { $0.children[dynamicMember: path].max != value }) {
      !PlainValue.greatest(elements($0)).equals(plain)
    }
    guard plain != .null, !(value is Date) else { return }
    expect("\(label) @sum", { $0.children[dynamicMember: path].sum > value }) {
      PlainValue.sum(elements($0)).compares(plain) { $0 > 0 }
    }
  }

  mutating func map<V: RealmCollectionValue & _Persistable>(
    _ label: String, _ path: KeyPath<MatrixRow, Map<String, V>>, _ values: [V]
  ) {
    let value = any(of: values)
    let plain = PlainValue(value)
    let key = any(of: ["a", "b", "c", "d"])
    func elements(_ row: MatrixRow) -> [PlainValue] {
      row[keyPath: path].values.map { PlainValue($0) }
    }
    func entry(_ row: MatrixRow?) -> PlainValue {
      row.flatMap { $0[keyPath: path][key] }.map { PlainValue($0) } ?? .null
    }
    expect("\(label) contains", { $0[dynamicMember: path].contains(value) }) {
      elements($0).contains { $0.equals(plain) }
    }
    expect("\(label) of key ==", { $0[dynamicMember: path][key] == value }) {
      entry($0).equals(plain)
    }
    expect("\(label) of key !=", { $0.next[dynamicMember: path][key] != value }) {
      !entry($0.next).equals(plain)
    }
    expect("\(label) values ==", { $0[dynamicMember: path].values == value }) {
      elements($0).contains { $0.equals(plain) }
    }
    expect("\(label) values !=", { $0[dynamicMember: path].values != value }) {
      elements($0).contains { !$0.equals(plain) }
    }
    expect("\(label) keys", { $0[dynamicMember: path].keys == key }) {
      $0[keyPath: path].keys.contains(key)
    }
    expect("\(label) keys >", { $0[dynamicMember: path].keys > key }) {
      $0[keyPath: path].keys.contains { $0 > key }
    }
    expect("\(label) keys start", { $0[dynamicMember: path].keys.starts(with: key) }) {
      $0[keyPath: path].keys.contains { $0.hasPrefix(key) }
    }
    expect("\(label) count", { $0[dynamicMember: path].count < 2 }) {
      $0[keyPath: path].count < 2
    }
  }

  // MARK: Types

  mutating func type<V: _Scalar & RealmCollectionValue>(_ label: String, _ paths: MatrixPaths<V>) {
    let optionals = paths.values.map(Optional.some) + [nil]
    equality(label, paths.plain, paths.values)
    equality("\(label)?", paths.optional, optionals)
    columns(label, paths.plain, paths.indexed ?? paths.plain)
    columns("\(label)?", paths.optional, paths.optionalIndexed ?? paths.optional)
    if let indexed = paths.indexed, let optional = paths.optionalIndexed {
      equality("indexed \(label)", indexed, paths.values)
      equality("indexed \(label)?", optional, optionals)
    }
    collection("\(label) list", paths.list, paths.values)
    collection("\(label)? list", paths.optionalList, optionals)
    collection("\(label) set", paths.set, paths.values)
    map("\(label) map", paths.map, paths.values)
  }

  mutating func orderedType<V: _Scalar & RealmCollectionValue>(
    _ label: String, _ paths: MatrixPaths<V>
  ) where V.PersistedType: _QueryOrdered {
    let optionals = paths.values.map(Optional.some) + [nil]
    order(label, paths.plain, paths.values)
    order("\(label)?", paths.optional, optionals)
    if let indexed = paths.indexed, let optional = paths.optionalIndexed {
      order("indexed \(label)", indexed, paths.values)
      order("indexed \(label)?", optional, optionals)
    }
  }

  mutating func numericType<V: _Scalar & RealmCollectionValue & Comparable>(
    _ label: String, _ paths: MatrixPaths<V>
  ) where V.PersistedType: _QueryNumeric & _QueryOrdered {
    type(label, paths)
    orderedType(label, paths)
    ranges(label, paths.plain, paths.optional, paths.values)
    let optionals = paths.values.map(Optional.some) + [nil]
    aggregates("\(label) list", paths.list, paths.values)
    aggregates("\(label)? list", paths.optionalList, optionals)
    aggregates("\(label) set", paths.set, paths.values)
    elementRanges(label, paths)
    memberAggregates(label, paths.plain, paths.values)
    memberAggregates("\(label)?", paths.optional, optionals)
  }
}

struct QueryMatrixTests {
  @Test(.heavy, arguments: RandomRuns.seeds(2)) func numbersAndDates(seed: UInt64) throws {
    var matrix = try Matrix(seed: seed)
    matrix.numericType("Int", MatrixPaths.int)
    matrix.numericType("Int8", MatrixPaths.int8)
    matrix.numericType("Int16", MatrixPaths.int16)
    matrix.numericType("Int32", MatrixPaths.int32)
    matrix.numericType("Int64", MatrixPaths.int64)
    matrix.numericType("Float", MatrixPaths.float)
    matrix.numericType("Double", MatrixPaths.double)
    matrix.numericType("Decimal128", MatrixPaths.decimal)
    matrix.numericType("Date", MatrixPaths.date)
    matrix.type("enum of Int", MatrixPaths.level)
    matrix.orderedType("enum of Int", MatrixPaths.level)
    matrix.ranges("enum of Int", \.level, \.levelOptional, MatrixLevel.allCases)
    expectTrue(matrix.decidedCount * 3 > matrix.queryCount, "too few queries tell objects apart")
  }

  @Test(.heavy, arguments: RandomRuns.seeds(2)) func stringsAndBytes(seed: UInt64) throws {
    var matrix = try Matrix(seed: seed)
    let strings = MatrixPaths.string
    let optionals = strings.values.map(Optional.some) + [nil]
    matrix.type("String", strings)
    matrix.orderedType("String", strings)
    matrix.ranges("String", strings.plain, strings.optional, strings.values)
    matrix.text("String", strings.plain, strings.values, hasOptions: true)
    matrix.text("String?", strings.optional, optionals, hasOptions: true)
    matrix.text("indexed String", \.stringIndexed, strings.values, hasOptions: true)
    matrix.patterns("String", strings.plain) { $0 }
    matrix.patterns("indexed String?", \.stringOptionalIndexed) { $0 }
    matrix.type("Data", MatrixPaths.data)
    matrix.orderedType("Data", MatrixPaths.data)
    matrix.text("Data", \.data, MatrixValues.data, hasOptions: false)
    matrix.text("Data?", \.dataOptional, MatrixValues.data + [nil], hasOptions: false)
    matrix.type("enum of String", MatrixPaths.word)
    matrix.orderedType("enum of String", MatrixPaths.word)
    matrix.text("enum of String", \.word, MatrixWord.allCases, hasOptions: true)
    matrix.text("enum of String?", \.wordOptional, MatrixWord.allCases + [nil], hasOptions: true)
    expectTrue(matrix.decidedCount * 3 > matrix.queryCount, "too few queries tell objects apart")
  }

  @Test(.heavy, arguments: RandomRuns.seeds(2)) func theOtherTypes(seed: UInt64) throws {
    var matrix = try Matrix(seed: seed)
    matrix.type("Bool", MatrixPaths.bool)
    matrix.type("ObjectId", MatrixPaths.objectId)
    matrix.type("UUID", MatrixPaths.uuid)
    matrix.equality("any", \.any, MatrixValues.anys)
    matrix.equality("indexed any", \.anyIndexed, MatrixValues.anys)
    matrix.columns("any", \.any, \.anyIndexed)
    for _ in 0..<5 {
      matrix.order("any", \.any, MatrixValues.anys)
      matrix.collection("any list", \.anyList, MatrixValues.anys)
      matrix.map("any map", \.anyMap, MatrixValues.anys)
    }
    let texts = MatrixValues.strings.map { AnyRealmValue.string($0) }
    matrix.text("any", \.any, texts + MatrixValues.data.map { .data($0) }, hasOptions: false)
    matrix.patterns("any", \.any) { .string($0) }
    expectTrue(matrix.decidedCount * 4 > matrix.queryCount, "too few queries tell objects apart")
  }

  @Test(arguments: RandomRuns.seeds(2)) func objects(seed: UInt64) throws {
    var matrix = try Matrix(seed: seed)
    let row = matrix.any(of: matrix.rows)
    matrix.expect("next ==", { $0.next == row }) { $0.next?.id == row.id }
    matrix.expect("next !=", { $0.next != row }) { $0.next?.id != row.id }
    matrix.expect("next == nil", { $0.next == nil }) { $0.next == nil }
    matrix.expect("next.next == nil", { $0.next.next == nil }) { $0.next?.next == nil }
    matrix.expect("next in", { $0.next.in([row, nil]) }) { $0.next == nil || $0.next?.id == row.id }
    matrix.expect("children", { $0.children.contains(row) }) { $0.children.contains(row) }
    matrix.expect("children of next", { $0.next.children.contains(row) }) {
      $0.next?.children.contains(row) ?? false
    }
    matrix.expect("parents", { $0.parents.contains(row) }) { $0.parents.contains(row) }
    matrix.expect("parents count", { $0.parents.count > 1 }) { $0.parents.count > 1 }
    matrix.expect("byName", { $0.byName.contains(row) }) {
      $0.byName.values.contains { $0?.id == row.id }
    }
    matrix.expect("byName[a]", { $0.byName["a"] == row }) { $0.byName["a"]??.id == row.id }
    matrix.expect("byName values nil", { $0.byName.values == nil }) {
      $0.byName.values.contains { $0 == nil }
    }
    matrix.expect("embedded", { $0.part.int > 0 }) { $0.part.map { $0.int > 0 } ?? false }
    matrix.expect("embedded nil", { $0.part == nil }) { $0.part == nil }
    matrix.expect("embedded string", { $0.part.string == nil }) { $0.part?.string == nil }
    matrix.expect("raw", { $0.level.rawValue > 0 }) { $0.level.rawValue > 0 }
    matrix.expect("raw?", { $0.wordOptional.rawValue.starts(with: "a") }) {
      $0.wordOptional?.rawValue.hasPrefix("a") ?? false
    }
    matrix.expect(
      "subquery", { ($0.children.int > 0 && $0.children.bool == true).count == 1 },
      { Array($0.children).filter { $0.int > 0 && $0.bool }.count == 1 })
  }
}
