// SPDX-License-Identifier: Apache-2.0

// Requests applied to the elements of a collection, which come in its order.

package import RealmQuery
package import RealmStorage
package import RealmTables

extension ResultsRequest {
  /// Those of `keys` that match, in the order asked for.
  package func applied(
    to keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    var keys = keys
    if let predicate {
      let selection = try Selection(predicate, in: table, of: source)
      do throws(StorageError) {
        keys = try selection.keys(among: keys)
      } catch { throw .storage(error) }
    }
    if let order {
      keys = try order.sorted(keys, of: table, in: source, limit: rest.neededCount)
    }
    return try rest.applied(to: keys, of: table, in: source)
  }

  /// Those of `values` that match, in the order asked for.
  package func applied(to values: [TableValue]) throws(StorageError) -> [TableValue] {
    var values = values
    do throws(QueryError) {
      if let predicate { values = try ValueSteps.filter(values, by: predicate) }
      if let order { values = ValueSteps.sort(values, by: order) }
      for step in rest { values = try ValueSteps.apply(step, to: values) }
      return values
    } catch { throw error.asStorageError }
  }
}
