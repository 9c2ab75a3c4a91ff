// SPDX-License-Identifier: Apache-2.0

// A database of a service.

#if Sync
/// A database of a service.
public final class MongoDatabase: Sendable {
  /// The name of the database.
  public let name: String

  private let caller: any MongoCaller

  package init(_ caller: any MongoCaller, _ name: String) {
    self.caller = caller
    self.name = name
  }

  /// The collection of a name: that of a class.
  public func collection(withName name: String) -> MongoCollection {
    MongoCollection(caller, database: self.name, name)
  }
}
#endif
