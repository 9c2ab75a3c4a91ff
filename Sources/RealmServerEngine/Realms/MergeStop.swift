// SPDX-License-Identifier: Apache-2.0

// Why merging an upload ends early.

import RealmStorage
import RealmSyncProtocol

/// Why an upload is not merged.
enum MergeStop: Error {
  case refused(SessionRefusal)
  /// It begins a transaction: it makes an object that its client was not sent, whose state is that
  /// before the transaction.
  case beginsTransaction
  /// The store failed; nothing is integrated.
  case failed(StorageError)
}
