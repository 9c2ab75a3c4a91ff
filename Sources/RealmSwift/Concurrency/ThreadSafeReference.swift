// SPDX-License-Identifier: Apache-2.0

// `ThreadSafeReference`: hands an object or a collection over to another thread, queue or actor,
// once.
//
// A reference keeps the locator of what it refers to, and pins the version in which that exists
// until it is resolved or released.

import RealmSession
import RealmStorage
import RealmTables

/// A reference to an object or a collection that can be resolved, once, elsewhere.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///   let realm = try! Realm()
///   try! realm.write { realm.resolve(reference)?.name = "Jane Doe" }
/// }
/// ```
///
/// Until it is resolved or released, the file keeps all that the version needs in which the
/// reference was made, so references should not live long. A realm in which nothing was read yet
/// starts at that version, and shows what was deleted since until it is refreshed. `@ThreadSafe` is
/// more convenient, and keeps no version.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  /// The version that is pinned until the reference is resolved.
  private final class Pin: Sendable {
    private let tables: Locked<TableGroup?>

    init(_ tables: TableGroup) { self.tables = Locked(tables) }

    func take() -> TableGroup? {
      tables.withLock { tables in
        defer { tables = nil }
        return tables
      }
    }

    var isTaken: Bool { tables.withLock { $0 == nil } }
  }

  private let origin: ConfinedOrigin
  private let pin: Pin

  /// Whether the reference was resolved.
  public var isInvalidated: Bool { pin.isTaken }

  /// Refers to an object or collection that a realm manages; it may be frozen.
  ///
  /// To be called where `confined` may be used. Traps if no realm manages it, if it was deleted, or
  /// if it is results of a collection that the open write transaction created.
  public init(to confined: Confined) {
    let core = ConfinedOrigin.core(
      of: confined,
      orElse: "Cannot construct reference to unmanaged object, "
        + "which can be passed across threads directly")
    origin = ConfinedOrigin(confined, of: core)
    let tables = orTrap(try core.readableTables())
    if core.isInWrite { orTrap(try origin.definition.requireResultsOf(older: tables)) }
    pin = Pin(tables)
  }

  /// The object or collection in `core`; nil if it was deleted since.
  fileprivate func resolve(in core: RealmCore) -> Confined? {
    core.checkIsolation()
    if origin.shared !== core.shared, !origin.isUncommitted {
      throwRealmException(
        "Cannot resolve a thread safe reference in a Realm of another file than the one it came "
          + "from.")
    }
    // Kept until the realm shows a version that is as new.
    guard let pinned = pin.take() else {
      throwRealmException("Can only resolve a thread safe reference once.")
    }
    guard origin.shared === core.shared else { return nil }
    defer { extendLifetime(pinned) }
    if !origin.isUncommitted { orTrap(try core.startReading(at: pinned)) }
    return origin.local(in: core)
  }

  /// The object or collection on the actor that the caller is isolated to; nil if it was deleted
  /// since, or if the realm cannot be opened there.
  func resolved(_ configuration: Realm.Configuration, on actor: isolated any Actor) -> Confined? {
    guard let core = try? RealmCache.core(configuration, .actor(actor)) else { return nil }
    return resolve(in: core)
  }
}

extension Realm {
  /// Resolves `reference` to its object or collection in this realm, which is advanced to a version
  /// that has it, if it is not in a write transaction. A reference can be resolved once.
  ///
  /// Resolve in a write transaction to be sure of the latest state.
  ///
  /// - Returns: Nil if it was deleted since, and for a reference that was made in an open write
  ///   transaction of another file. Other references of another file trap.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    reference.resolve(in: core)
  }
}

extension _ConfinedDefinition {
  /// Traps if this is results of a list or of backlinks whose object is not in `tables`.
  fileprivate func requireResultsOf(older tables: TableGroup) throws(StorageError) {
    guard !isGone, case .refinement(let refinement) = locator else { return }
    let (table, key) =
      switch refinement.base {
      case .list(let list): (list.table, list.object)
      case .backlinks(let backlinks): (backlinks.target, backlinks.object)
      }
    if try tables.table(table)?.row(of: key) == nil {
      throwRealmException(
        "Cannot create a ThreadSafeReference to Results backed by a collection of objects inside "
          + "the write transaction which created the collection.")
    }
  }
}
