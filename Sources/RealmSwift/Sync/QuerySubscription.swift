// SPDX-License-Identifier: Apache-2.0

// What a program subscribes to, and its conditions as subscriptions store them: without arguments.

#if Sync
public import Foundation
import RealmQuery
import RealmSession
import RealmTables

/// A query whose matches a synchronised realm is to have.
///
/// ```swift
/// subscriptions.append(QuerySubscription<Todo>(name: "open") { !$0.isDone })
/// ```
public struct QuerySubscription<T: Object> {
  let name: String?
  let query: String

  var className: String { T.className() }

  /// A condition about objects.
  public typealias QueryFunction = (Query<T>) -> Query<Bool>

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
  public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
    self.name = name
    self.query = SubscriptionText.text(query)
  }

  /// The objects that match a condition; all objects of the class for nil.
  @_disfavoredOverload
  public init(name: String? = nil, query: QueryFunction?) {
    self.name = name
    self.query = query.map { SubscriptionText.text($0) } ?? SubscriptionText.all
  }

  /// The objects that match a query string; see `RealmCollection.filter(_:_:)`. Traps if it cannot
  /// be read.
  public init(name: String? = nil, where predicateFormat: String, _ args: Any...) {
    self.name = name
    query = SubscriptionText.text(predicateFormat, args, of: T.self)
  }

  /// The objects that match a predicate; see `RealmCollection.filter(_:)`.
  public init(name: String? = nil, where predicate: NSPredicate) {
    self.name = name
    query = SubscriptionText.text(predicate, of: T.self)
  }
}
#endif
