// SPDX-License-Identifier: Apache-2.0

// The conditions of a client, bound to the classes of a version, within the limits of subscriptions
// (P4 B.2).

import RealmQuery
import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The selected objects of a query, in any version of the file and among captured values.
package struct View: Sendable {
  /// The condition of each existing class.
  private var predicates: [String: BoundPredicate] = [:]
  /// The properties in the condition of a class.
  private var fields: [String: Set<String>] = [:]
  /// The costs of conditions for one object, in comparisons.
  private(set) var comparisonCounts: [String: Int] = [:]
  /// What the sizes of an object's properties add to that, of the classes where they do.
  private(set) var elementCosts: [String: ElementCosts] = [:]
  /// The seen properties of classes with hidden ones.
  private(set) var readableFields: [String: FieldSelection] = [:]
  /// A subscription with a condition on a hidden property: it selects nothing.
  private(set) var hiddenUse: SessionRefusal?
  /// What the visible objects of classes must have, as far as that was asked for.
  private let required = Locked<[String: RequiredValues?]>([:])

  private init() {}

  /// Binds the conditions of a query to the classes of a version, or of a transaction; the refusal
  /// has the code 226. Filters of roles are never refused: what does not fit admits nothing.
  ///
  /// - Parameter kinds: The kinds of classes. Subscriptions are to top-level ones alone.
  package static func bind(
    _ query: EffectiveQuery, to objects: any TableReader, kinds: Set<TableKind> = [.topLevel]
  ) throws(StorageError) -> Result<View, SessionRefusal> {
    let classes = try StoredSchema(objects)
    var view = View()
    for (name, text) in query.conditions {
      var names: Set<String> = []
      let note = { (field: String) in _ = names.insert(field) }
      switch try condition(text, ofClass: name, classes, objects, kinds, note) {
      case .success(var predicate):
        if let selection = query.fields[name] {
          let readable =
            try selection.inside.isEmpty
            ? selection : PropertyPaths(objects).bound(selection, ofClass: name)
          view.readableFields[name] = readable
          let key = classes[name]?.primaryKey?.name
          if let hidden = names.sorted().first(where: { $0 != key && !readable.isQueryable($0) }) {
            view.hiddenUse = SubscriptionRules.hidden(hidden, ofClass: name)
            predicate = nil
          }
        }
        if let filter = query.filters[name], let condition = predicate, let known = classes[name] {
          predicate = try filter.bound(to: known, in: classes).map { .all([$0, condition]) }
          names.formUnion(filter.fieldNames)
        }
        view.predicates[name] = predicate
        view.comparisonCounts[name] = predicate?.comparisonCount
        if let predicate, let known = classes[name] {
          let costs = ElementCosts(predicate, of: known)
          if !costs.isEmpty { view.elementCosts[name] = costs }
        }
        view.fields[name] = names
      case .failure(let refusal): return .failure(refusal)
      }
    }
    return .success(view)
  }

  /// A condition; nil for a class without a table yet: no object of it can be seen.
  private static func condition(
    _ text: String, ofClass name: String, _ classes: StoredSchema, _ objects: any TableReader,
    _ kinds: Set<TableKind>, _ noteField: @escaping (String) -> Void
  ) throws(StorageError) -> Result<BoundPredicate?, SessionRefusal> {
    let points = try classes[name].map(objects.pointNames) ?? []
    let predicate: BoundPredicate
    do throws(SessionRefusal) {
      let parsed = try parse(text)
      guard let known = classes[name] else { return .success(nil) }
      guard kinds.contains(known.kind) else {
        throw SessionRefusal(
          .badQuery, "Invalid query: \"\(name)\" is no class of objects of their own")
      }
      try SubscriptionRules(
        className: name, schema: known, points: points, noteField: noteField
      ).check(parsed)
      do throws(QueryError) {
        // A device with many subscriptions of one property sends a long chain.
        predicate = try QueryBinder(classes, on: classes.queryClass(named: name))
          .bind(parsed).condition.joiningEqualities()
      } catch {
        throw SessionRefusal(.badQuery, "Invalid query: \(error)")
      }
    } catch {
      return .failure(error)
    }
    guard let key = classes[name]?.key, let table = try objects.readTable(key) else {
      return .success(nil)
    }
    do throws(QueryError) {
      try TableQuery(table.key, where: predicate).check(against: table, of: objects)
      return .success(predicate)
    } catch {
      if case .storage(let cause) = error { throw cause }
      return .failure(SessionRefusal(.badQuery, "Invalid query: \(error)"))
    }
  }

  private static func parse(_ text: String) throws(SessionRefusal) -> ParsedQuery {
    do throws(QuerySyntaxError) {
      return try QueryParser.parse(text)
    } catch {
      throw SessionRefusal(.badQuery, "Invalid query: \(error)")
    }
  }

  /// The properties behind the visibility of a class's objects.
  func fieldNames(ofClass name: String) -> Set<String> { fields[name] ?? [] }

  /// What the visible objects of a class must have; nil if the condition names no values.
  ///
  /// Found when it is asked for, and kept: most views are never compared with changes, as they only
  /// check a query or begin a bootstrap.
  func requiredValues(ofClass name: String, _ schema: TableSchema) -> RequiredValues? {
    guard let predicate = predicates[name] else { return nil }
    if let known = required.withLock({ $0[name] }) { return known }
    let found = RequiredValues(predicate, of: schema)
    required.withLock { _ = $0.updateValue(found, forKey: name) }
    return found
  }

  package var classNames: [String] { predicates.keys.sorted() }

  /// The visible objects of a class in a version.
  package func keys(
    ofClass name: String, in objects: TableGroup
  ) throws(StorageError) -> [ObjectKey] {
    guard let predicate = predicates[name], let table = try Self.table(name, objects) else {
      return []
    }
    do throws(QueryError) {
      return try TableQuery(table.key, where: predicate).keys(of: table, in: objects)
    } catch {
      throw Self.failure(error)
    }
  }

  /// A search for the visible objects of a class in a version, part by part; nil if there are none.
  func scan(ofClass name: String, in objects: TableGroup) throws(StorageError) -> KeyScan? {
    guard let predicate = predicates[name], let table = try Self.table(name, objects) else {
      return nil
    }
    do throws(QueryError) {
      return try KeyScan(predicate, of: table, in: objects)
    } catch {
      throw Self.failure(error)
    }
  }

  /// The visible ones of some objects of a class.
  package func keys(
    among keys: [ObjectKey], ofClass name: String, table: Table, in source: any TableReader
  ) throws(StorageError) -> Set<ObjectKey> {
    guard let predicate = predicates[name], !keys.isEmpty else { return [] }
    do throws(QueryError) {
      return Set(
        try TableQuery(table.key, where: predicate).keys(among: keys, of: table, in: source))
    } catch {
      throw Self.failure(error)
    }
  }

  func isEmpty(ofClass name: String) -> Bool { predicates[name] == nil }

  /// The table of a class; nil if there is none.
  package static func table(_ name: String, _ objects: TableGroup) throws(StorageError) -> Table? {
    try objects.table(named: "class_" + name)
  }

  private static func failure(_ error: QueryError) -> StorageError {
    switch error {
    case .storage(let cause): cause
    // The schema grew in another way than the binder knew; it only grows.
    case .invalid(let text, _): .corrupted("a query that fitted does not any more: \(text)")
    }
  }
}

extension FieldSelection {
  /// Whether a condition may ask for a property. Of embedded objects only positions are asked for,
  /// by their two properties.
  fileprivate func isQueryable(_ name: String) -> Bool {
    ["type", "coordinates"].allSatisfy { contains(path: [name, $0]) }
  }
}

// MARK: - Limits

/// The limits of subscriptions (P4 B.2), for one condition.
private struct SubscriptionRules {
  let className: String
  let schema: TableSchema
  /// The properties with positions on the earth.
  var points: Set<String> = []
  /// Takes the names of the properties in the condition.
  var noteField: (String) -> Void = { _ in }

  /// - Throws: `SessionRefusal` with the code 226.
  func check(_ query: ParsedQuery) throws(SessionRefusal) {
    guard query.modifiers.isEmpty else { throw Self.invalid("SORT, DISTINCT and LIMIT") }
    try check(query.condition)
  }

  static func invalid(_ what: String) -> SessionRefusal {
    SessionRefusal(.badQuery, "Invalid query: \(what) are not supported in subscriptions")
  }

  /// The refusal of a condition on a property hidden by the user's role.
  static func hidden(_ field: String, ofClass name: String) -> SessionRefusal {
    SessionRefusal(
      .badQuery, "Invalid query: \"\(name)\": the user may not read \"\(field)\"")
  }

  private func check(_ condition: Predicate) throws(SessionRefusal) {
    for leaf in condition.leaves {
      switch leaf {
      case .constant, .node: continue
      case .isTrue(let operand): try check(operand)
      case .comparison(let comparison): try check(comparison)
      }
    }
  }

  private func check(_ comparison: Comparison) throws(SessionRefusal) {
    if case .region = comparison.right { return try checkPoint(comparison.left) }
    try check(comparison.left)
    try check(comparison.right)
    if isMany(comparison.left), isMany(comparison.right) {
      throw Self.invalid("comparisons of lists with lists")
    }
  }

  private func check(_ operand: Operand) throws(SessionRefusal) {
    switch operand {
    case .value, .longNumber: return
    case .list(let elements): for element in elements { try check(element) }
    case .path(let path): try check(path)
    case .object: throw Self.invalid("objects")
    case .region: throw Self.invalid("regions")
    case .constant, .argument: throw Self.invalid("arguments")
    case .matchCount: throw Self.invalid("subqueries")
    case .arithmetic: throw Self.invalid("calculations")
    case .condition: throw Self.invalid("conditions as values")
    }
  }

  /// Checks the left side of a region's condition.
  private func checkPoint(_ operand: Operand) throws(SessionRefusal) {
    guard case .path(let path) = operand, path.components.count == 1,
      case .property(let name, _)? = path.components.first
    else { throw Self.invalid("regions beside other things than fields") }
    guard points.contains(name) else { throw notQueryable(name) }
    noteField(name)
  }

  private func notQueryable(_ name: String) -> SessionRefusal {
    SessionRefusal(
      .badQuery, "Invalid query: \"\(className)\": key \"\(name)\" is not a queryable field")
  }

  private func check(_ path: PropertyPath) throws(SessionRefusal) {
    guard case .property(let name, _)? = path.components.first else {
      throw Self.invalid("key paths without a property")
    }
    for component in path.components.dropFirst() {
      switch component {
      case .function("count"), .function("size"): continue
      case .function: throw Self.invalid("aggregates")
      default: throw Self.invalid("key paths across links")
      }
    }
    guard let column = schema.column(named: name), column.isQueryable else {
      throw notQueryable(name)
    }
    noteField(name)
  }

  /// Whether an operand is a collection and no number made of it.
  private func isMany(_ operand: Operand) -> Bool {
    guard case .path(let path) = operand, path.components.count == 1,
      case .property(let name, _)? = path.components.first
    else { return false }
    return schema.column(named: name).map { $0.collection != .none } ?? false
  }
}
