// SPDX-License-Identifier: Apache-2.0

// Observation of a realm as a whole: one notification for each newer version.

import RealmSession

extension Realm {
  /// A notification to an observer of a realm.
  public enum Notification: String, Sendable {
    /// The realm shows a newer version, by its own write transaction or by another's.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, and the realm does not move to it by itself.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }

  /// A block that is called with each notification of a realm.
  public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

  /// Calls `block` each time the realm moves to a newer version, before observers of collections
  /// and objects are called; for its own write transactions at the end of the commit.
  ///
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
    let observers = core.requireObservable(here: true)
    let observation = SessionObservation(of: core) { [core] notification in
      block(Notification(notification), Realm(core: core))
    }
    observers.add(observation)
    return NotificationToken(observation)
  }
}

extension Realm.Notification {
  fileprivate init(_ notification: SessionNotification) {
    self =
      switch notification {
      case .moved: .didChange
      case .newerVersionExists: .refreshRequired
      }
  }
}

/// Gets the notifications of a realm.
public typealias NotificationBlock = Realm.NotificationBlock
