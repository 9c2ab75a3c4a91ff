// SPDX-License-Identifier: Apache-2.0

// Running a query over a version or a write transaction.

#if Tools
package import RealmQuery
package import RealmTables

/// A query, bound to the classes of a file.
package struct QueryRun {
  package let schema: TableSchema
  package let query: TableQuery
  private let reader: any TableReader

  /// Binds a query.
  ///
  /// - Throws: `ToolFailure`, with the position of the mistake.
  package init(_ text: String, in classes: StoredSchema) throws(ToolFailure) {
    let request = try QueryRequest(text, names: classes.all.map(\.displayName))
    schema = try classes.require(request.className)
    reader = classes.reader
    do throws(QueryError) {
      query = try TableQuery(request.predicate, over: schema, in: classes)
    } catch { throw Self.failure(error, text, request) }
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
      let hint = QueryRequest.hint(for: request.predicate).map { "\n\($0)" } ?? ""
      return .usage(line + "\n" + QueryRequest.marker(text, column: place) + hint)
    case .invalid(let message, _):
      guard let column = error.column(in: request.predicate) else { return .usage(message) }
      return .usage(message + "\n" + QueryRequest.marker(text, column: column + request.offset))
    }
  }

  /// The objects in the order of the query.
  package func keys() throws -> [ObjectKey] {
    try reading { (table) throws(QueryError) in try query.keys(of: table, in: reader) } ?? []
  }

  /// How the objects are found, a line for each step.
  package func explanation() throws -> [String] {
    try reading { (table) throws(QueryError) in
      try query.explanation(in: table, of: reader)
    } ?? []
  }

  private func reading<R>(_ body: (Table) throws(QueryError) -> R) throws -> R? {
    guard let table = try reader.readTable(schema.key) else { return nil }
    do throws(QueryError) { return try body(table) } catch {
      if case .storage(let cause) = error { throw cause }
      throw ToolFailure.usage("\(error)")
    }
  }
}
#endif
