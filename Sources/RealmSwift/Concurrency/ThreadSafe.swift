// SPDX-License-Identifier: Apache-2.0

// `ThreadSafe`: variables and parameters that may hold an object or a collection on any thread.

import RealmStorage

/// A variable or parameter that any thread, queue or actor may read: each gets the object or
/// collection in its own realm.
///
/// ```swift
/// @ThreadSafe var reference = person
/// queue.async { [_reference] in
///   let realm = try! Realm()
///   try! realm.write { _reference.wrappedValue?.name = "Jane Doe" }
/// }
///
/// func rename(@ThreadSafe person: Person?, to name: String) async throws {
///   let realm = try await Realm()
///   try realm.write { person?.name = name }
/// }
/// ```
///
/// The value is always optional: it is nil once the object was deleted. Reading it returns the live
/// object in the realm of the calling thread, queue or actor, which is advanced to a version that
/// has the object and is as new as that of the last reader, unless it is in a write transaction. In
/// code of an actor other than the main one there must be a realm that was opened for the actor;
/// else a realm of the present thread is used, and the object must not be used after an `await`.
///
/// Only objects and collections that a realm manages can be held; anything else traps. Frozen ones
/// are live when they are read. The file stays open as long as something is held; its old versions
/// do not.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
  private let origin: Locked<ConfinedOrigin?>

  /// Holds an object or a collection of the realm in which the caller may use it.
  public init(wrappedValue: T?) {
    origin = Locked(ThreadSafe.origin(of: wrappedValue))
  }

  /// The object or collection, for the calling thread, queue or actor; nil if it was deleted.
  public var wrappedValue: T? {
    get {
      guard let origin = origin.withLock({ $0 }) else { return nil }
      do {
        let core = try RealmCache.coreForCaller(origin.configuration)
        let local: T? = origin.local(in: core)
        var used = origin
        used.wasUsed(in: core)
        self.origin.withLock { origin in
          // Another thread may have updated the origin meanwhile, or replaced the value.
          guard let present = origin, present.isOlder(than: used) else { return }
          origin = used
        }
        return local
      } catch { stopOpening(error) }
    }
    set {
      let new = ThreadSafe.origin(of: newValue)
      // The old one, which may close the file, is released after the lock.
      let old = origin.withLock { origin in
        defer { origin = new }
        return origin
      }
      _ = old
    }
  }

  private static func origin(of value: T?) -> ConfinedOrigin? {
    value.map { value in
      let core = ConfinedOrigin.core(
        of: value, orElse: "Only managed objects may be wrapped as thread safe.")
      return ConfinedOrigin(value, of: core)
    }
  }
}
