// SPDX-License-Identifier: Apache-2.0

// Running a query over a version or a write transaction.

package import RealmQuery
import RealmStorage
package import RealmTables

/// A query, bound to the classes of a file.
package struct QueryRun {
  package let schema: TableSchema
  package let query: TableQuery

  /// Binds a query.
  ///
  /// - Throws: `ToolFailure`, with the place of the mistake.
  package init(
    _ text: String, in source: any TableReader, _ classes: StoredClasses
  ) throws(ToolFailure) {
    let request = try QueryRequest(text)
    schema = try classes.require(request.className)
    let table = schema.key
    do throws(QueryError) {
      let parsed = try Self.parse(request.predicate)
      let names = StoredQuerySchema(source, classes)
      let binder = QueryBinder(names, on: names.queryClass(named: request.className))
      let (condition, steps) = try binder.bind(parsed)
      query = steps.reduce(TableQuery(table, where: condition)) { $0.adding($1) }
      if let table = try QueryError.reading(try source.readTable(table)) {
        try query.check(against: table, of: source)
      }
    } catch { throw Self.failure(error, text, request) }
  }

  private static func parse(_ text: String) throws(QueryError) -> ParsedQuery {
    do throws(QuerySyntaxError) { return try QueryParser.parse(text) } catch {
      throw QueryError(error)
    }
  }

  private static func failure(
    _ error: QueryError, _ text: String, _ request: QueryRequest
  ) -> ToolFailure {
    switch error {
    case .storage(let error): return ToolFailure(error)
    case .invalid(let message, .column(let column)?):
      let place = column + request.offset
      var line = message.replacing(", in: \(request.predicate)", with: "")
      line = line.replacing("at column \(column)", with: "at column \(place)")
      return .usage(line + "\n" + QueryRequest.marker(text, column: place))
    case .invalid(let message, _): return .usage(message)
    }
  }

  /// The objects in the order of the query.
  package func keys(in source: any TableReader) throws -> [ObjectKey] {
    guard let table = try source.readTable(schema.key) else { return [] }
    return try reading { () throws(QueryError) in try query.keys(of: table, in: source) }
  }

  /// The selected ones of some objects.
  package func keys(among keys: [ObjectKey], in source: any TableReader) throws -> [ObjectKey] {
    guard let table = try source.readTable(schema.key) else { return [] }
    return try reading { () throws(QueryError) in
      try query.keys(among: keys, of: table, in: source)
    }
  }

  /// How the objects are found, a line for each step.
  package func explanation(in source: any TableReader) throws -> [String] {
    guard let table = try source.readTable(schema.key) else { return [] }
    return try reading { () throws(QueryError) in try query.explanation(in: table, of: source) }
  }

  private func reading<R>(_ body: () throws(QueryError) -> R) throws -> R {
    do throws(QueryError) { return try body() } catch {
      if case .storage(let cause) = error { throw cause }
      throw ToolFailure.usage("\(error)")
    }
  }
}
