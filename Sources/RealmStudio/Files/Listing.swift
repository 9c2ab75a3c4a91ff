// SPDX-License-Identifier: Apache-2.0

// The objects in a table of the page, in their order.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables

/// The result of a query in one version, read by position.
///
/// A whole class in the order of its keys keeps none of them; other results are sorted and filtered
/// once and then kept as keys.
struct Listing {
  /// The request of the page.
  struct Request: Hashable {
    var className: String
    /// The text of the query bar; empty for all objects.
    var query = ""
    /// The property of the column by which the page sorts.
    var sort: String?
    var isDescending = false
  }

  let query: TableQuery
  var state: ResultState

  init(_ request: Request, in classes: StoredSchema) throws {
    let schema = try classes.required(request.className)
    let isPlain = request.query.allSatisfy(\.isWhitespace)
    let found =
      isPlain ? TableQuery(schema.key) : try TableQuery(request.query, over: schema, in: classes)
    let order = try request.sort.map { try Self.order(by: $0, request, schema) }
    query = order.map { found.adding(.sort($0)) } ?? found
    state = try query.state(in: classes.reader)
  }

  /// The order by a column of the page.
  private static func order(
    by sort: String, _ request: Request, _ schema: TableSchema
  ) throws(StudioFailure) -> SortOrder {
    let column = try schema.required(sort)
    guard column.collection == .none, column.type != .link else {
      throw StudioFailure(
        400, "'\(sort)' cannot be sorted by: it is a collection or a link.",
        remedy: "Sort by a property of what it leads to, in the query: SORT(\(sort).name ASC).")
    }
    return SortOrder([SortOrder.Criterion([sort], isAscending: !request.isDescending)])
  }

  var count: Int { state.count }

  /// The key of the object at a position; nil past the end.
  func key(at position: Int, of table: Table) throws(StorageError) -> ObjectKey? {
    guard let keys = state.keys else { return try table.key(at: position) }
    return position < keys.count ? keys[position] : nil
  }

  /// Calls `body` with the row of each object, in their order.
  func forEachRow(of table: Table, _ body: (Row) throws -> Void) throws {
    guard let keys = state.keys else {
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count { try body(cluster.row(at: index)) }
      }
      return
    }
    for position in 0..<keys.count {
      if let row = try table.row(of: keys[position]) { try body(row) }
    }
  }

  /// The position of an object; nil if it is not shown.
  func position(of key: ObjectKey, in table: Table, _ source: any TableReader) throws -> Int? {
    guard let keys = state.keys else { return try table.position(of: key) }
    guard try table.row(of: key) != nil else { return nil }
    return try query.positions(of: [key], in: keys, of: source).first
  }

  /// The listing in a later version; nil if it has to be made again.
  func refreshed(
    by changes: VersionChanges, in source: any TableReader
  ) throws(QueryError) -> Listing? {
    guard let new = try query.refreshed(state, by: changes, in: source) else { return nil }
    var listing = self
    listing.state = new
    return listing
  }
}
#endif
