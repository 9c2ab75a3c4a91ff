// SPDX-License-Identifier: Apache-2.0

// A database of a service.

#if Sync
/// A database of a service.
public final class MongoDatabase: Sendable {
  /// The name of the database.
  public let name: String

  init(_ name: String) { self.name = name }

  /// The collection of a name.
  public func collection(withName name: String) -> MongoCollection { MongoCollection(name) }
}
#endif
