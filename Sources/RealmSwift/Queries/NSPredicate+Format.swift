// SPDX-License-Identifier: Apache-2.0

// `NSPredicate` as a way to write queries down.
//
// Foundation on Linux has no predicate formats. The initialisers here have the signatures of those
// that it declares as unavailable, and win over them. A predicate made by them carries its format
// and arguments in its block, which shows them to a probe.

public import Foundation
import RealmQuery
import RealmSession
import RealmStorage

#if canImport(Darwin)
extension NSPredicate {
  /// The format of the predicate and its arguments; Foundation prints all constants into it.
  fileprivate var queryFormat: (format: String, arguments: [Any])? { (predicateFormat, []) }
}
#else
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
    // nonisolated(unsafe): whoever hands a predicate to others hands its arguments over with it.
    nonisolated(unsafe) let arguments = argumentArray ?? []
    self.init { object, _ in
      guard let probe = object as? PredicateProbe else {
        guard let matches = object.flatMap(modelObject)?.matches(format, arguments) else {
          throwRealmException(
            "A predicate made from a format can only filter collections of a Realm, and be "
              + "evaluated with its objects.")
        }
        return matches
      }
      probe.found = (format, arguments)
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
    let core = info.core
    let query = QueryBinder.query(format, arguments, of: core, on: info)
    let predicate = PredicateBuilder(core, info).predicate(query.condition)
    do throws(StorageError) {
      let table = try info.table
      let selection = try unwrappingQueryErrors { () throws(QueryError) in
        try Selection(predicate, in: table, of: core.tableSource(), isScan: false)
      }
      return try selection.matches(_key)
    } catch { stop(error) }
  }
}

/// What a predicate shows its format to.
private final class PredicateProbe {
  var found: (format: String, arguments: [Any])?
}
#endif

extension _ResultsSource {
  /// Results with the elements that match a predicate.
  func filtered<Element: RealmCollectionValue>(by predicate: NSPredicate) -> Results<Element> {
    state.core.checkIsolation()
    return filtered(by: predicate.query(of: state.core, on: state.info))
  }
}

extension NSPredicate {
  /// The predicate as a query over a class, or over values.
  fileprivate func query(of core: RealmCore, on info: ClassInfo?) -> BoundQuery {
    if let compound = self as? NSCompoundPredicate {
      return compound.joinedQuery(of: core, on: info)
    }
    // Those that are always true or false have no format everywhere.
    for truth in [true, false] where isEqual(NSPredicate(value: truth)) {
      return BoundQuery(condition: .constant(truth), steps: [])
    }
    guard let (format, arguments) = queryFormat else {
      throwRealmException(
        "Only predicates made from a format can filter Realm collections, not those with a block.")
    }
    return QueryBinder.query(format, arguments, of: core, on: info)
  }
}

extension NSCompoundPredicate {
  fileprivate func joinedQuery(of core: RealmCore, on info: ClassInfo?) -> BoundQuery {
    let parts = (subpredicates as [Any]).compactMap {
      ($0 as? NSPredicate)?.query(of: core, on: info)
    }
    let conditions = parts.map(\.condition)
    let condition: QueryNode
    switch compoundPredicateType {
    case .not: condition = .not(conditions.first ?? .constant(false))
    case .or:
      condition =
        conditions.first.map { conditions.dropFirst().reduce($0, QueryNode.or) }
        ?? .constant(false)
    default:
      condition =
        conditions.first.map { conditions.dropFirst().reduce($0, QueryNode.and) }
        ?? .constant(true)
    }
    return BoundQuery(condition: condition, steps: parts.flatMap(\.steps))
  }
}
