// SPDX-License-Identifier: Apache-2.0

// What the conditions of a view cost, in comparisons: each object those of its class's condition,
// and one more for each element of a collection, and each few bytes of a string, that the condition
// looks into.

import RealmQuery
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension View {
  /// The cost of the condition of a class for one object, in comparisons, without elements.
  func comparisonCount(ofClass name: String) -> Int { comparisonCounts[name] ?? 0 }

  /// The most comparisons for one object of any class, without elements.
  var comparisonCountMax: Int { comparisonCounts.values.max() ?? 0 }

  /// The comparisons with elements of an object.
  ///
  /// - Parameter limit: More is not counted: the result is the limit then.
  func elementCount(
    ofClass name: String, _ row: Row, _ schema: TableSchema, limit: Int
  ) throws(StorageError) -> Int {
    try elementCosts[name]?.count(of: row, schema, limit: limit) ?? 0
  }

  /// The comparisons of some views with elements of objects in a version.
  ///
  /// - Parameter limit: More is not counted: the result is the limit then.
  static func elementCount(
    of objects: some Sequence<ObjectIdentity>, by views: [View], in tables: TableGroup, limit: Int
  ) throws(StorageError) -> Int {
    guard views.contains(where: { !$0.elementCosts.isEmpty }) else { return 0 }
    var left = max(limit, 0)
    for object in objects where left > 0 {
      let name = object.className
      guard views.contains(where: { $0.elementCosts[name] != nil }),
        let table = try table(name, tables), let row = try table.row(of: object.key)
      else { continue }
      for view in views {
        left -= try view.elementCount(ofClass: name, row, table.schema, limit: left)
      }
    }
    return max(limit, 0) - left
  }

  // MARK: Limits

  /// The most comparisons of a search for the objects of a class.
  @TaskLocal static var searchComparisonCountMax = 1 << 31
  /// The most comparisons for one object: its thread does nothing else meanwhile.
  @TaskLocal static var objectComparisonCountMax = 1 << 26

  /// The refusal of too costly conditions in a version; nil if there are none.
  ///
  /// - Parameter countsElements: Whether each object is asked for the elements of its collections.
  nonisolated(nonsending) func costRefusal(
    in objects: TableGroup, countsElements: Bool, _ share: SearchShare
  ) async throws(StoreError) -> SessionRefusal? {
    for (name, count) in comparisonCounts.sorted(by: { $0.key < $1.key }) {
      guard let table = try StoreError.storing(Self.table(name, objects)) else { continue }
      let objectCount = try StoreError.storing(table.objectCount())
      let (cost, isOver) = count.multipliedReportingOverflow(by: objectCount)
      if isOver || cost > Self.searchComparisonCountMax {
        return SessionRefusal(
          .badQuery,
          """
          Invalid query: "\(name)": a condition of \(count) comparisons is too costly for \
          \(objectCount) objects
          """)
      }
      guard countsElements, let costs = elementCosts[name] else { continue }
      if try await isTooCostly(costs, table, Self.searchComparisonCountMax - cost, share) {
        return SessionRefusal(
          .badQuery,
          """
          Invalid query: "\(name)": a condition of \(count) comparisons is too costly for the \
          elements of \(objectCount) objects
          """)
      }
    }
    return nil
  }

  /// Whether the elements of a table's objects, or of one of them, are too many.
  private nonisolated(nonsending) func isTooCostly(
    _ costs: ElementCosts, _ table: Table, _ limit: Int, _ share: SearchShare
  ) async throws(StoreError) -> Bool {
    let objectLimit = Self.objectComparisonCountMax + 1
    var left = limit
    var cursor = table.clusterCursor()
    while let cluster = try StoreError.storing(cursor.next()) {
      var sum = 0
      for index in 0..<cluster.count {
        let count = try StoreError.storing(
          costs.count(of: cluster.row(at: index), table.schema, limit: objectLimit))
        if count == objectLimit { return true }
        sum += 1 + count
      }
      left -= sum - cluster.count
      if left < 0 { return true }
      await share.spend(sum)
    }
    return false
  }
}
