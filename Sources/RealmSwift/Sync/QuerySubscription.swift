// SPDX-License-Identifier: Apache-2.0

// What a program subscribes to.

#if Sync
public import Foundation
import RealmQuery
import RealmSession

/// A query whose matches a synchronised realm is to have.
///
/// ```swift
/// subscriptions.append(QuerySubscription<Todo>(name: "open") { !$0.isDone })
/// ```
public struct QuerySubscription<T: Object> {
  let name: String?
  let query: String

  var className: String { T.className() }

  /// All objects of the class.
  ///
  /// - Parameter name: The name under which the subscription can be found.
  public init(name: String? = nil) {
    self.name = name
    query = SubscriptionText.all
  }

  /// The objects that match a condition.
  ///
  /// Traps for conditions that have no text: those about objects, and regions of the earth.
  ///
  /// - Parameters:
  ///   - name: The name under which the subscription can be found.
  ///   - query: The condition.
  public init(name: String? = nil, query: @escaping (Query<T>) -> Query<Bool>) {
    self.name = name
    self.query = SubscriptionText.text(query)
  }

  /// The objects that match a query string; see `RealmCollection.filter(_:_:)`. Traps if it cannot
  /// be read.
  public init(name: String? = nil, where predicateFormat: String, _ args: Any...) {
    self.name = name
    query = SubscriptionText.text(predicateFormat, args)
  }

  /// The objects that match a predicate; see `RealmCollection.filter(_:)`.
  public init(name: String? = nil, where predicate: NSPredicate) {
    self.name = name
    query = SubscriptionText.text(predicate)
  }
}
#endif
