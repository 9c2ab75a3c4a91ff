// SPDX-License-Identifier: Apache-2.0

// Conditions as subscriptions store them: as strings without arguments.

#if Sync
import Foundation
import RealmQuery
import RealmSession
import RealmTables

/// The texts of subscriptions.
enum SubscriptionText {
  /// The text that matches all objects.
  static let all = "TRUEPREDICATE"

  static func text<T: Object>(_ query: (Query<T>) -> Query<Bool>) -> String {
    text(query(Query<T>(PropertyPath())).asCondition, ModelSchema.of(T.self))
  }

  static func text(_ format: String, _ arguments: [Any], of model: Object.Type) -> String {
    text(format, arguments, ModelSchema.of(model))
  }

  /// - Parameter schema: The class of the objects, as far as it is known.
  static func text(
    _ format: String, _ arguments: [Any], _ schema: ModelSchema? = nil
  ) -> String {
    text(orTrap(try trappingMistakes(ParsedQuery(format, arguments))), schema)
  }

  static func text(_ predicate: NSPredicate, of model: Object.Type) -> String {
    text(predicate, ModelSchema.of(model))
  }

  /// - Parameter schema: The class of the objects, as far as it is known.
  static func text(_ predicate: NSPredicate, _ schema: ModelSchema?) -> String {
    text(orTrap(try trappingMistakes(predicate.query)), schema)
  }

  private static func text(_ query: ParsedQuery, _ schema: ModelSchema?) -> String {
    guard query.modifiers.isEmpty else {
      throwRealmException(
        "A subscription cannot be sorted or limited: the server sends all that matches.")
    }
    return text(query.condition, schema)
  }

  /// The text of a condition, by the names of the file. Numbers beside Float properties are written
  /// as the Doubles equal to them as Floats, as servers may compare Floats with Doubles.
  ///
  /// - Parameter schema: The class of the objects, as far as it is known.
  static func text(_ condition: RealmQuery.Predicate, _ schema: ModelSchema?) -> String {
    let stored = schema.map {
      let binder = QueryBinder(SubscriptionSchema(root: $0), on: $0)
      return binder.named(binder.widened(condition))
    }
    guard let text = (stored ?? condition).literalText(literal) else {
      throwRealmException(
        "A subscription's query can have numbers, strings, dates, identifiers and lists of them as "
          + "values, but no objects and no regions: \(condition.format().text)")
    }
    return text
  }

  /// The literal of a value.
  private static func literal(_ value: Any) -> String? {
    guard let value = unwrapped(value) else { return TableValue.null.literal }
    if let range = QueryRange(value) {
      guard range.isClosed, let lower = literal(range.lower), let upper = literal(range.upper)
      else { return nil }
      return "{\(lower), \(upper)}"
    }
    if let elements = enumerable(value) {
      var literals: [String] = []
      for element in [Any](erasing: elements) {
        guard let literal = literal(QueryArguments.plain(element)) else { return nil }
        literals.append(literal)
      }
      return "{" + literals.joined(separator: ", ") + "}"
    }
    if let any = value as? AnyRealmValue { return any.plainValue.flatMap { literal($0) } }
    guard let type = type(of: value) as? any _Storable.Type,
      let stored = type._storedScalar(value)
    else { return nil }
    return stored.value.literal
  }
}

extension AnyRealmValue {
  /// The value that is none of a collection or an object; nil for those, and for none.
  fileprivate var plainValue: Any? {
    switch self {
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    default: nil
    }
  }
}
#endif
