// SPDX-License-Identifier: Apache-2.0

// Transactions that leave nothing when a part of them fails.

package import RealmStorage

extension WriteGroup {
  /// Runs a part of the transaction, which is rolled back if that throws.
  package func orRollback<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(Failure) {
      return try body()
    } catch {
      rollback()
      throw error
    }
  }

  /// Makes changes and commits them, or rolls back if that throws.
  package func commit(after body: (WriteGroup) throws(StorageError) -> Void) throws(StorageError) {
    try orRollback { () throws(StorageError) in
      try body(self)
      _ = try commit()
    }
  }
}
