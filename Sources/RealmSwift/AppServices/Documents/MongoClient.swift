// SPDX-License-Identifier: Apache-2.0

// The databases of a service.

#if Sync
import RealmSync

/// A client for the databases of a service.
///
/// In this release all calls of collections throw `AppError.notCallable`.
public final class MongoClient: Sendable {
  /// The name of the service.
  public let name: String

  init(_ app: AppCore, _ user: AppUser, serviceName: String) { name = serviceName }

  /// The database of a name.
  public func database(named name: String) -> MongoDatabase { MongoDatabase(name) }
}
#endif
