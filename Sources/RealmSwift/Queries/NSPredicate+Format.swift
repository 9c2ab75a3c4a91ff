// SPDX-License-Identifier: Apache-2.0

// `NSPredicate` as a way to write queries down.
//
// Foundation on Linux has no predicate formats. The initialisers here have the signatures of those
// that it declares as unavailable, and win over them. A predicate made by them carries its format
// and arguments in its block, which shows them to a probe.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

#if canImport(Darwin)
import Foundation

extension NSPredicate {
  /// The format of the predicate and its arguments; Foundation prints all constants into it.
  fileprivate var queryFormat: (format: String, arguments: [Any])? { (predicateFormat, []) }
}
#else
public import Foundation

extension NSPredicate {
  /// A predicate that filters collections of a realm, in the language of
  /// `RealmCollection.filter(_:_:)`.
  ///
  /// The format is read when the predicate is used. `evaluate(with:)` takes objects of a realm;
  /// what the format says of order and numbers does not count there.
  public convenience init(format: String, _ args: Any...) {
    self.init(format: format, argumentArray: args)
  }

  /// A predicate that filters collections of a realm; see `init(format:_:)`.
  public convenience init(format: String, argumentArray: [Any]?) {
    // nonisolated(unsafe): a predicate is handed to others together with its arguments.
    nonisolated(unsafe) let arguments = argumentArray ?? []
    self.init { object, _ in
      guard let probe = object as? PredicateProbe else {
        guard let matches = unsafe object.flatMap(modelObject)?.matches(format, arguments) else {
          throwRealmException(
            "A predicate made from a format can only filter collections of a Realm, and be "
              + "evaluated with its objects.")
        }
        return matches
      }
      probe.found = unsafe (format, arguments)
      return false
    }
  }

  /// The format of the predicate and its arguments; nil if it was made from a block.
  fileprivate var queryFormat: (format: String, arguments: [Any])? {
    let probe = PredicateProbe()
    _ = evaluate(with: probe)
    return probe.found
  }
}

extension ObjectBase {
  /// Whether the object matches a query string; nil if no realm has it.
  fileprivate func matches(_ format: String, _ arguments: [Any]) -> Bool? {
    guard let info = _info, _locate(info) else { return nil }
    return unsafe info.reading(
      of: _key, try trappingMistakes(info.matches(_key, format, arguments)), else: false)
  }
}

extension ClassInfo {
  /// Whether an object, which exists, matches a query string.
  fileprivate func matches(
    _ key: ObjectKey, _ format: String, _ arguments: [Any]
  ) throws(QueryError) -> Bool {
    let core = unsafe core
    let binder = QueryBinder(RealmQuerySchema(core: core), on: schema)
    let condition = try binder.bind(ParsedQuery(format, arguments).condition)
    let (table, tables) = try QueryError.storing((table, core.tableReader()))
    let selection = try Selection(condition, in: table, of: tables, isScan: false)
    return try QueryError.storing(selection.matches(key))
  }
}

/// An object to which a predicate shows its format.
private final class PredicateProbe {
  var found: (format: String, arguments: [Any])?
}
#endif

extension _ResultsSource {
  /// Results with the elements that match a predicate.
  func filtered<Element: RealmCollectionValue>(by predicate: NSPredicate) -> Results<Element> {
    state.searching(
      try trappingMistakes(filtered(binding: predicate.query)), else: Results(state))
  }
}

extension NSPredicate {
  var query: ParsedQuery {
    get throws(QueryError) {
      if let compound = self as? NSCompoundPredicate { return try compound.joinedQuery }
      // Those that are always true or false have no format everywhere.
      for truth in [true, false] where isEqual(NSPredicate(value: truth)) {
        return ParsedQuery(.constant(truth))
      }
      guard let (format, arguments) = queryFormat else {
        throw .invalid(
          "Only predicates made from a format can filter Realm collections, not those with a "
            + "block.")
      }
      return try ParsedQuery(format, arguments)
    }
  }
}

extension NSCompoundPredicate {
  fileprivate var joinedQuery: ParsedQuery {
    get throws(QueryError) {
      var parts: [ParsedQuery] = []
      for case let part as NSPredicate in subpredicates as [Any] { parts.append(try part.query) }
      let conditions = parts.map(\.condition)
      let condition: RealmQuery.Predicate =
        switch compoundPredicateType {
        case .not: .not(conditions.first ?? .constant(false))
        case .or: .joined(conditions, RealmQuery.Predicate.or) ?? .constant(false)
        default: .joined(conditions, RealmQuery.Predicate.and) ?? .constant(true)
        }
      return ParsedQuery(condition, modifiers: parts.flatMap(\.modifiers))
    }
  }
}
