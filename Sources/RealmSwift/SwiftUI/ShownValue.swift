// SPDX-License-Identifier: Apache-2.0

// `ShownValue`: the frozen state of an object or a collection that a view shows, and its changes.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import RealmSession

/// The state of a value that a view shows: frozen, and renewed after each change. A value that no
/// realm manages is shown as it is.
@MainActor final class ShownValue<Value: RealmSubscribable>: ObservableObject {
  /// Counts the changes, so that the view hears of them.
  @Published private var changeCount = 0
  private var current: Value
  private var token: NotificationToken?

  init(_ value: Value) {
    current = value
    show(value)
  }

  /// The value that is shown; a new one, if something deleted is to be shown.
  var value: Value { current.isInvalidated ? Self.substitute ?? current : current }

  /// Shows another value.
  func replace(by value: Value) {
    changeCount += 1
    show(value)
  }

  private func show(_ value: Value) {
    token = nil
    guard value.realm != nil, !value.isInvalidated, let live = value.thaw() else {
      current = value
      return
    }
    current = value.isFrozen ? value : live.freeze()
    token = live._follow(nil, on: nil) { [weak self] change in
      MainActor.assumeIsolated {
        // What was deleted is shown as it was.
        guard let self, case .changed(let value) = change, let value = value as? Value else {
          return
        }
        self.changeCount += 1
        self.current = value.freeze()
      }
    }
  }

  private static var substitute: Value? {
    func make<P: ProjectionObservable>(_ type: P.Type) -> Any { P(projecting: P.Root()) }
    if let type = Value.self as? ObjectBase.Type { return type.init() as? Value }
    return (Value.self as? any ProjectionObservable.Type).flatMap { make($0) as? Value }
  }

  /// Changes the value: a managed one in a transaction of its own.
  func change(_ body: (Value) -> Void) {
    if current.realm == nil { changeCount += 1 }
    changeLive(current, body)
  }
}

/// Runs `body` with the live form of a value, in a write transaction if a realm manages it. Nothing
/// happens if it was deleted.
@MainActor func changeLive<Value: ThreadConfined>(_ value: Value, _ body: (Value) -> Void) {
  guard value.realm != nil || value.isInvalidated else { return body(value) }
  guard !value.isInvalidated, let live = value.thaw(), let realm = live.realm else { return }
  do {
    try realm.writeOrJoin { body(live) }
  } catch { throwRealmException("Writing for a view failed: \(error)") }
}

/// The live form of an element that a view adds to a collection or removes from it: what it shows
/// is frozen.
@MainActor func live<Element>(_ element: Element) -> Element {
  guard let confined = element as? any ThreadConfined, confined.realm != nil,
    let live = confined.thaw() as? Element
  else { return element }
  return live
}

/// A property of an object or a projection that a view shows: its value is that of the live form,
/// and setting it writes.
@MainActor final class ShownProperty<Root: ThreadConfined, Value> {
  private let root: Root
  private let keyPath: ReferenceWritableKeyPath<Root, Value>
  /// The value that the property had last, for views that are drawn once more after its object was
  /// deleted.
  private var last: Value

  init(_ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>) {
    // What was deleted meanwhile keeps its frozen form.
    self.root = root.realm != nil && root.isFrozen ? root.thaw() ?? root : root
    self.keyPath = keyPath
    last = self.root[keyPath: keyPath]
  }

  var value: Value {
    get {
      if !root.isInvalidated { last = root[keyPath: keyPath] }
      return last
    }
    set {
      guard !root.isInvalidated, !isEqual(newValue, root[keyPath: keyPath]) else { return }
      changeLive(root) { $0[keyPath: keyPath] = newValue }
      last = newValue
    }
  }

  /// Whether two values are equal: a field of text sets what it shows at each turn, and no
  /// transaction is worth that.
  private func isEqual(_ left: Value, _ right: Value) -> Bool {
    func compare<T: Equatable>(_ left: T) -> Bool { left == right as? T }
    guard let left = left as? any Equatable else { return false }
    return compare(left)
  }
}
#endif
