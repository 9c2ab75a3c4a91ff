// SPDX-License-Identifier: Apache-2.0

// Statements and edits within an open transaction.

#if Tools
import RealmStorage
package import RealmTables

extension WriteGroup {
  /// Runs a part of the transaction. If it throws, nothing of it is left.
  package func orUndo<Result>(_ body: () throws -> Result) throws -> Result {
    try beginSavepoint()
    do {
      let result = try body()
      keepSavepoint()
      return result
    } catch {
      rollBackSavepoint()
      throw error
    }
  }
}
#endif
