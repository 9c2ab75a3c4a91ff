// SPDX-License-Identifier: Apache-2.0

// The values at the end of a path: their type, and what they can be compared with.

import RealmStorage
import RealmTables

/// The values at the end of a path.
struct ResolvedEnd {
  let type: ColumnType
  /// The table of links.
  let target: TableKey?
  /// Whether the values are elements of a collection.
  let isElement: Bool
  /// Whether the values are results of arithmetic, which are numbers of any type.
  private(set) var isComputed = false

  static let integer = ResolvedEnd(type: .int, target: nil, isElement: false)

  /// What is computed with operators.
  static let arithmetic = ResolvedEnd(isComputed: true)

  init(type: ColumnType, target: TableKey?, isElement: Bool) {
    self.type = type
    self.target = target
    self.isElement = isElement
  }

  private init(isComputed: Bool) {
    self.init(type: .double, target: nil, isElement: false)
    self.isComputed = isComputed
  }

  var typeName: String { type.queryName }

  var isText: Bool { [.string, .binary, .mixed].contains(type) }

  /// Checks that values of this type can be compared so.
  ///
  /// - Throws: `QueryError.invalid` for parts of what is no text, and for orders of objects;
  ///   null is in no order with anything, and may be asked for.
  func check(_ operation: ComparisonOperator, beside right: BoundOperand) throws(QueryError) {
    if right == .value(.null) { return }
    let isSupported =
      switch operation {
      case .equal, .notEqual, .in: true
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
        ![.link, .backlink, .typedLink].contains(type)
      case .beginsWith, .endsWith, .contains, .like: isText
      // Has a message of its own.
      case .text: true
      case .matches: false
      }
    guard isSupported else {
      throw .invalid("Operator '\(operation.text)' not supported for type '\(typeName)'")
    }
  }

  var isNumeric: Bool { [.int, .float, .double, .decimal, .mixed].contains(type) }

  /// Whether values of the two types can be compared.
  func isComparable(with other: ResolvedEnd) -> Bool {
    if type == .mixed || other.type == .mixed { return true }
    return typeName == other.typeName || isNumeric && other.isNumeric
  }

  /// Whether values of this type can equal the constant.
  func accepts(_ value: MixedValue) -> Bool {
    switch (type, value) {
    case (_, .null), (.mixed, _): true
    case (.int, .int), (.int, .float), (.int, .double), (.int, .decimal): true
    case (.float, .int), (.float, .float), (.float, .double), (.float, .decimal): true
    case (.double, .int), (.double, .float), (.double, .double), (.double, .decimal): true
    case (.decimal, .int), (.decimal, .float), (.decimal, .double), (.decimal, .decimal): true
    case (.bool, .bool), (.string, .string), (.binary, .binary), (.timestamp, .timestamp): true
    case (.objectId, .objectId), (.uuid, .uuid): true
    case (.link, .typedLink(let table, _)), (.backlink, .typedLink(let table, _)):
      target.map { Int64($0.rawValue) == Int64(table) } ?? true
    case (.typedLink, .typedLink): true
    default: false
    }
  }
}
