// SPDX-License-Identifier: Apache-2.0

// `ShownValue`: the frozen state of an object or a collection that a view shows, and its changes.

#if canImport(SwiftUI)
import Combine
import RealmSession
public import SwiftUI

/// The state of a value that a view shows: frozen, and renewed after each change. A value that no
/// realm manages is shown as it is.
@MainActor final class ShownValue<Value: RealmSubscribable>: ObservableObject {
  /// The value that is shown.
  private(set) var value: Value
  private var token: NotificationToken?

  init(_ value: Value) {
    self.value = value
    show(value)
  }

  func show(_ value: Value) {
    token = nil
    guard value.realm != nil, let live = value.thaw() else {
      self.value = value
      return
    }
    self.value = value.isFrozen ? value : live.freeze()
    token = live._follow(nil, on: nil) { [weak self] change in
      guard let self, case .changed(let value) = change, let value = value as? Value else {
        return
      }
      objectWillChange.send()
      self.value = value.freeze()
    }
  }

  /// Changes the value: a managed one in a transaction of its own.
  func change(_ body: (Value) -> Void) {
    if value.realm == nil { objectWillChange.send() }
    changeLive(value, body)
  }
}

/// Runs `body` with the live form of a value, in a write transaction if a realm manages it. Nothing
/// happens if it was deleted.
@MainActor func changeLive<Value: ThreadConfined>(_ value: Value, _ body: (Value) -> Void) {
  guard value.realm != nil else { return body(value) }
  guard let live = value.thaw(), let realm = live.realm else { return }
  do {
    try realm.writeOrJoin { body(live) }
  } catch { throwRealmException("Writing for a view failed: \(error)") }
}

extension ThreadConfined where Self: ObjectBase {
  /// A binding of a property, for views that receive the object itself. Setting it changes the live
  /// object in a transaction.
  @MainActor public func bind<V>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
    let object = UnsafeTransfer(self)
    let path = UnsafeTransfer(keyPath)
    return Binding(
      get: { object.value[keyPath: path.value] },
      set: { value in
        let value = UnsafeTransfer(value)
        MainActor.assumeIsolated {
          changeLive(object.value) { $0[keyPath: path.value] = value.value }
        }
      })
  }
}
#endif
