// SPDX-License-Identifier: Apache-2.0

// The subscription sets of a version, as a session needs them.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Reads the subscription sets of a version.
package enum StoredQuerySets {
  /// All sets, oldest first; none in files without subscriptions.
  package static func all(in group: TableGroup) throws(StorageError) -> [QuerySet] {
    try StoredSubscriptionSet.all(in: group).map { QuerySet($0) }
      .sorted { $0.version < $1.version }
  }
}

extension QuerySet {
  fileprivate init(_ set: StoredSubscriptionSet) {
    self.init(
      version: set.version, state: set.state.state, snapshotVersion: set.snapshotVersion,
      text: QueryDocument(
        subscriptions: set.subscriptions.map { ($0.objectClass, $0.query) }
      ).text)
  }
}

extension SubscriptionState {
  fileprivate var state: QuerySet.State {
    switch self {
    case .pending: .pending
    case .bootstrapping: .bootstrapping
    case .complete: .complete
    case .error: .error
    case .awaitingMark: .awaitingMark
    }
  }
}
