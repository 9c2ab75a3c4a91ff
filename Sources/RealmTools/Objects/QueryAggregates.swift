// SPDX-License-Identifier: Apache-2.0

// Sums, means and extremes of the objects of a query, all together or by the values of a property.

#if Tools
package import RealmFormats
package import RealmQuery
import RealmStorage
package import RealmTables

/// Aggregates properties of objects.
package struct QueryAggregates {
  /// An aggregate: `sum(age)`.
  package struct Term: Hashable, Sendable {
    /// What is asked of the values; nulls count for nothing.
    package enum Function: String, Sendable {
      case sum, avg, min, max
    }

    package let function: Function
    package let property: String

    package init(_ function: Function, of property: String) {
      self.function = function
      self.property = property
    }

    package var name: String { "\(function.rawValue)(\(property))" }

    fileprivate var aggregator: Aggregator {
      switch function {
      case .sum: Aggregator(.sum)
      case .avg: Aggregator(.average)
      case .min: Aggregator(.min)
      case .max: Aggregator(.max)
      }
    }
  }

  /// The objects with one value of the property that groups them, or all.
  package struct Group {
    /// The value as cells show it; nil for null.
    package let text: String?
    fileprivate let value: JSONValue
    package let count: Int
    fileprivate let results: [TableValue]
  }

  private let property: String?
  private let terms: [Term]
  /// The group of most objects first; equal numbers in the order of their texts.
  package let groups: [Group]

  /// - Parameter property: The property whose values make groups; nil for one group of all objects.
  /// - Throws: `ToolFailure` if a property is missing, or has nothing to be aggregated.
  package init(
    _ terms: [Term], by property: String?, of keys: [ObjectKey], _ schema: TableSchema,
    in classes: StoredSchema
  ) throws {
    self.terms = terms
    self.property = property
    let columns = try terms.map { try Self.column($0, schema) }
    let grouping = try property.map { try schema.require($0) }
    let (json, cells) = (ObjectJSON(classes), CellText(classes))
    let new = Accumulator(text: nil, aggregators: terms.map(\.aggregator))
    // Without groups there is one, also of no objects.
    var found: [JSONValue: Accumulator] = property == nil ? [.null: new] : [:]
    let table = try classes.reader.readTable(schema.key)
    for key in keys {
      guard let row = try table?.row(of: key) else { continue }
      var id = JSONValue.null
      if let grouping {
        let value = try row.value(of: grouping)
        id = try json.json(value, grouping)
        if found[id] == nil {
          var group = new
          group.text = try cells.text(value, grouping)
          found[id] = group
        }
      }
      try found[id]?.add(row, columns)
    }
    groups = found.map { id, group in
      Group(
        text: group.text, value: id, count: group.count,
        results: group.aggregators.map { Self.value($0.result) })
    }.sorted { $0.count != $1.count ? $0.count > $1.count : $0.text ?? "" < $1.text ?? "" }
  }

  /// What a group has gathered.
  private struct Accumulator {
    var text: String?
    var count = 0
    var aggregators: [Aggregator]

    mutating func add(_ row: Row, _ columns: [Column]) throws(StorageError) {
      count += 1
      for index in columns.indices {
        aggregators[index].add(try row.mixedValue(of: columns[index]))
      }
    }
  }

  private static func column(
    _ term: Term, _ schema: TableSchema
  ) throws(ToolFailure) -> Column {
    let column = try schema.require(term.property)
    let isNumber = [.int, .float, .double, .decimal, .mixed].contains(column.type)
    let isExtreme = term.function == .min || term.function == .max
    guard column.collection == .none, isNumber || isExtreme && column.type == .timestamp else {
      throw .usage(
        "\(term.name): '\(schema.displayName).\(term.property)' has no numbers"
          + (isExtreme ? " or dates." : "."))
    }
    return column
  }

  private static func value(_ result: MixedValue) -> TableValue {
    switch result {
    case .int(let number): .int(number)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    case .timestamp(let date): .timestamp(date)
    case .bool(let truth): .bool(truth)
    case .string(let text): .string(text.string)
    default: .null
    }
  }

  // MARK: Output

  /// The names of the columns: the property of the groups and their numbers, then the aggregates.
  package var header: [String] { (property.map { [$0, "count"] } ?? []) + terms.map(\.name) }

  /// The cells of a group.
  package func row(_ group: Group) -> [String?] {
    (property == nil ? [] : [group.text, "\(group.count)"])
      + group.results.map { ValueText.file.string($0) }
  }

  /// A group for programs.
  package func json(_ group: Group) -> JSONValue {
    var members: [JSONMember] = []
    if let property {
      members = [
        JSONMember(property, group.value), JSONMember("count", .integer(Int64(group.count))),
      ]
    }
    for (term, result) in zip(terms, group.results) {
      members.append(JSONMember(term.name, ObjectJSON.scalar(result)))
    }
    return .object(members)
  }
}
#endif
