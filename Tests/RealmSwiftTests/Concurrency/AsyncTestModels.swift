// SPDX-License-Identifier: Apache-2.0

// The models and the realms of the tests about actors and notifications.

import Foundation
import RealmSwift

class AsyncTask: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var priority: Int
  @Persisted var owner: AsyncOwner?
}

class AsyncOwner: Object {
  @Persisted var name: String
  @Persisted var tasks: List<AsyncTask>
  @Persisted var numbers: List<Int>
  @Persisted var boss: AsyncOwner?
  @Persisted(originProperty: "owner") var owned: LinkingObjects<AsyncTask>
}

/// Returns the configuration of a realm in memory that no other test uses.
func freshConfiguration(_ name: String = UUID().uuidString) -> Realm.Configuration {
  Realm.Configuration(
    inMemoryIdentifier: name, objectTypes: [AsyncTask.self, AsyncOwner.self])
}
