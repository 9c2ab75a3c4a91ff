// SPDX-License-Identifier: Apache-2.0

// Random predicates over the sample tables.

import RealmStorage
import RealmTables
import RealmTestSupport

@testable import RealmQuery

struct RandomPredicates {
  let tables: SampleTables
  var random: SeededGenerator

  mutating func tree(depth: Int) -> BoundPredicate {
    guard depth > 0, random.chance(0.6) else { return .comparison(comparison()) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      return .all((0..<Int.random(in: 0...3, using: &random)).map { _ in tree(depth: depth - 1) })
    case 2, 3:
      return .any((0..<Int.random(in: 0...3, using: &random)).map { _ in tree(depth: depth - 1) })
    default: return .not(tree(depth: depth - 1))
    }
  }

  mutating func comparison() -> BoundComparison {
    switch Int.random(in: 0..<11, using: &random) {
    case 10: return arithmetic()
    case 0: return linked()
    case 1: return many()
    case 2: return columns()
    case 3: return objects()
    case 4: return functions()
    default: break
    }
    let columns = tables.items.schema.columns.filter { $0.collection == .none && $0.type != .link }
    let column = columns.randomElement(using: &random)!
    return comparison([column.name], column)
  }

  /// A comparison of what a path leads to with constants.
  private mutating func comparison(_ names: [String], _ column: Column) -> BoundComparison {
    let path = BoundOperand.property(ColumnPath(names))
    func constant(_ generator: inout SeededGenerator) -> TableValue {
      if generator.chance(0.1) { return .null }
      if column.type == .int, generator.chance(0.1) {
        return SampleTables.value(of: .double, &generator)
      }
      if column.type == .double, generator.chance(0.2) {
        return SampleTables.value(of: .int, &generator)
      }
      return column.type == .mixed
        ? SampleTables.value(of: column, &generator)
        : SampleTables.value(of: column.type, &generator)
    }
    if random.chance(0.15) {
      let count = Int.random(in: 0...7, using: &random)
      var values = (0..<count).map { _ in constant(&random) }
      // More than are looked for one by one.
      if column.type == .int, random.chance(0.4) { values += (40...80).map { .int($0) } }
      return BoundComparison(path, .in, .values(values))
    }
    let isText = column.type == .string || column.type == .binary
    if isText, random.chance(0.6) {
      let operations: [ComparisonOperator] = [
        .beginsWith, .endsWith, .contains, .like, .equal, .notEqual,
      ]
      let operation = operations.randomElement(using: &random)!
      if operation == .like, column.type == .string {
        let patterns = ["*", "a*", "?", "*b*", "*é", "??", "A?", "r?sum*", "*X*X*"]
        return BoundComparison(
          path, .like, .value(.string(patterns.randomElement(using: &random)!)),
          options: random.chance(0.5) ? .caseInsensitive : [])
      }
      let options: [TextOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ]
      return BoundComparison(
        path, operation == .like ? .contains : operation, .value(constant(&random)),
        options: column.type == .string ? options.randomElement(using: &random)! : [])
    }
    if random.chance(0.15), !isText {
      return BoundComparison(path, .between, .values([constant(&random), constant(&random)]))
    }
    let operations: [ComparisonOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    let operation = operations.randomElement(using: &random)!
    let value = BoundOperand.value(constant(&random))
    if random.chance(0.2), let mirrored = operation.mirrored {
      return BoundComparison(value, mirrored, path)
    }
    return BoundComparison(path, operation, value)
  }

  private mutating func linked() -> BoundComparison {
    let column = tables.owners.schema.column(named: random.chance(0.5) ? "name" : "age")!
    return comparison(
      ["owner"] + (random.chance(0.3) ? ["boss"] : []) + [column.name], column)
  }

  private mutating func many() -> BoundComparison {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return comparison(["scores"], tables.items.schema.column(named: "scores")!)
    case 1: return comparison(["labels"], tables.items.schema.column(named: "labels")!)
    case 2: return comparison(["sharers", "age"], tables.owners.schema.column(named: "age")!)
    default:
      return BoundComparison(
        .value(SampleTables.value(of: .int, &random)), .in, .property(ColumnPath(["scores"])))
    }
  }

  private mutating func columns() -> BoundComparison {
    let pairs: [([String], [String])] = [
      (["int"], ["int?"]), (["double"], ["int"]), (["string"], ["string?"]),
      (["int"], ["scores"]), (["owner", "age"], ["int"]), (["any"], ["string"]),
      (["timestamp"], ["timestamp?"]), (["owner"], ["sharers"]),
    ]
    let (left, right) = pairs.randomElement(using: &random)!
    let isObjects = left == ["owner"]
    let operations: [ComparisonOperator] =
      isObjects ? [.equal, .notEqual] : [.equal, .notEqual, .less, .greaterOrEqual]
    let isText = left == ["string"] && random.chance(0.5)
    return BoundComparison(
      .property(ColumnPath(left)), isText ? .contains : operations.randomElement(using: &random)!,
      .property(ColumnPath(right)), options: isText ? .caseInsensitive : [])
  }

  private mutating func objects() -> BoundComparison {
    let owner = try? tables.owners.key(at: Int.random(in: 0..<40, using: &random))
    let value = random.chance(0.2) ? TableValue.null : .link(owner ?? ObjectKey(0))
    let path = ColumnPath([["owner", "sharers"].randomElement(using: &random)!])
    if random.chance(0.3) {
      return BoundComparison(.property(path), .in, .values([value, .link(ObjectKey(3))]))
    }
    return BoundComparison(
      .property(path), random.chance(0.5) ? .equal : .notEqual, .value(value))
  }

  private mutating func arithmetic() -> BoundComparison {
    let operations: [ArithmeticOperator] = [.add, .subtract, .multiply, .divide]
    func operand(_ depth: Int, _ random: inout SeededGenerator) -> BoundOperand {
      switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
      case 0: return .value(.int(Int64.random(in: -3...3, using: &random)))
      case 1, 2, 3:
        let names: [[String]] = [
          ["int"], ["int?"], ["double"], ["float?"], ["owner", "age"], ["any"], ["scores"],
        ]
        return .property(ColumnPath(names.randomElement(using: &random)!))
      default:
        return .arithmetic(
          operations.randomElement(using: &random)!, operand(depth - 1, &random),
          operand(depth - 1, &random))
      }
    }
    let left = BoundOperand.arithmetic(
      operations.randomElement(using: &random)!, operand(1, &random), operand(1, &random))
    let comparisons: [ComparisonOperator] = [.equal, .notEqual, .less, .greaterOrEqual]
    return BoundComparison(
      left, comparisons.randomElement(using: &random)!,
      random.chance(0.5) ? .value(.int(1)) : operand(1, &random))
  }

  private mutating func functions() -> BoundComparison {
    let number = BoundOperand.value(.int(Int64.random(in: -2...4, using: &random)))
    if random.chance(0.3) {
      let condition = BoundPredicate.comparison(
        BoundComparison(.property(ColumnPath(["age"])), .greater, .value(.int(0))))
      return BoundComparison(
        .matchCount(ColumnPath(["sharers"]), condition), .greaterOrEqual, number)
    }
    let functions: [CollectionFunction] = [.count, .min, .max, .sum, .average]
    let names: [String] = random.chance(0.5) ? ["scores"] : ["sharers", "age"]
    return BoundComparison(
      .property(ColumnPath(names, function: functions.randomElement(using: &random)!)),
      [.equal, .less, .greaterOrEqual, .notEqual].randomElement(using: &random)!, number)
  }
}
