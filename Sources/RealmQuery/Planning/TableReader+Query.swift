// SPDX-License-Identifier: Apache-2.0

// Reads of tables with the errors of queries.

import RealmStorage
import RealmTables

extension TableReader {
  /// The read view of the table with that key; nil if there is none.
  func table(_ key: TableKey) throws(QueryError) -> Table? {
    try QueryError.storing(try readTable(key))
  }
}
