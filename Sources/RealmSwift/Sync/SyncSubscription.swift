// SPDX-License-Identifier: Apache-2.0

// One subscription of a realm.

#if Sync
public import Foundation
import RealmSession
import RealmStorage
import RealmSync

/// A subscription of a synchronised realm. Confined to the realm that its set is of.
public final class SyncSubscription {
  private(set) var stored: StoredSubscription
  private let set: SyncSubscriptionSet

  init(_ stored: StoredSubscription, _ set: SyncSubscriptionSet) {
    self.stored = stored
    self.set = set
  }

  /// The name under which it can be found; nil if it has none.
  public var name: String? { stored.name }

  /// The time when it was added.
  public var createdAt: Date { Date(stored.createdAt) }

  /// The time when its query was set last.
  public var updatedAt: Date { Date(stored.updatedAt) }

  /// Replaces the query by one that matches all objects of the class.
  ///
  /// Traps outside of a block of `SyncSubscriptionSet.update(_:onComplete:)`, and for another
  /// class.
  public func updateQuery<T: Object>(toType type: T.Type) {
    update(T.className(), SubscriptionText.all)
  }

  /// Replaces the query. See `updateQuery(toType:)` for what traps.
  public func updateQuery<T: Object>(
    toType type: T.Type, where query: (Query<T>) -> Query<Bool>
  ) {
    update(T.className(), SubscriptionText.text(query))
  }

  /// Replaces the query. See `updateQuery(toType:)` for what traps.
  public func updateQuery<T: Object>(
    toType type: T.Type, where predicateFormat: String, _ args: Any...
  ) {
    update(T.className(), SubscriptionText.text(predicateFormat, args, of: T.self))
  }

  /// Replaces the query. See `updateQuery(toType:)` for what traps.
  public func updateQuery<T: Object>(toType type: T.Type, where predicate: NSPredicate) {
    update(T.className(), SubscriptionText.text(predicate, of: T.self))
  }

  /// Replaces the query by a query string; see `RealmCollection.filter(_:_:)`.
  ///
  /// Traps outside of a block of `SyncSubscriptionSet.update(_:onComplete:)`.
  public func updateQuery(to predicateFormat: String, _ args: Any...) {
    replace(SubscriptionText.text(predicateFormat, args, schema))
  }

  /// Replaces the query by a predicate. See `updateQuery(to:_:)` for what traps.
  public func updateQuery(to predicate: NSPredicate) {
    replace(SubscriptionText.text(predicate, schema))
  }

  /// The class of the objects, if the set is that of a realm that has it.
  private var schema: ModelSchema? { self.set.schema(named: stored.objectClass) }

  private func update(_ className: String, _ query: String) {
    set.requireEditing()
    if className != stored.objectClass {
      throwRealmException(
        "Updating a subscription query of a different Object Type is not allowed.")
    }
    replace(query)
  }

  private func replace(_ query: String) {
    set.requireEditing()
    stored.query = query
    stored.updatedAt = Timestamp.now()
    set.replace(stored)
  }
}
#endif
