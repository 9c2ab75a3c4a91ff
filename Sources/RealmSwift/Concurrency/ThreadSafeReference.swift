// SPDX-License-Identifier: Apache-2.0

// Handing objects and collections over to another thread, queue or actor.
//
// A reference says what it refers to in terms of the file, and pins the version in which that
// exists until it is resolved or goes away.

import RealmStorage
import RealmTables
import Synchronization

/// What an object or collection is, in terms of the file. Public only because requirements of
/// `ThreadConfined` name it.
public struct _ConfinedDefinition: Sendable {
  enum Kind: Sendable {
    case object(table: TableKey, ObjectKey)
    case collection(ObservedSource)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// The collection, as observers see it.
  var source: ObservedSource {
    guard case .collection(let source) = kind else {
      preconditionFailure("an object is no collection")
    }
    return source
  }
}

/// A reference to an object or a collection that can be resolved, once, elsewhere.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///   let realm = try! Realm()
///   try! realm.write { realm.resolve(reference)?.name = "Jane Doe" }
/// }
/// ```
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  /// What is pinned until the reference is resolved.
  private final class Pin: Sendable {
    private let tables: Mutex<TableGroup?>

    init(_ tables: TableGroup) { self.tables = Mutex(tables) }

    func take() -> TableGroup? {
      tables.withLock { tables in
        defer { tables = nil }
        return tables
      }
    }

    var isTaken: Bool { tables.withLock { $0 == nil } }
  }

  private let definition: _ConfinedDefinition
  private let pin: Pin

  /// Whether the reference was resolved.
  public var isInvalidated: Bool { pin.isTaken }

  /// Refers to an object or collection that a realm manages.
  public init(to confined: Confined) {
    if confined.isInvalidated {
      throwRealmException("Cannot construct reference to invalidated object")
    }
    guard let core = confined.realm?.core else {
      throwRealmException(
        "Cannot construct reference to unmanaged object, "
          + "which can be passed across threads directly")
    }
    definition = confined._definition
    do throws(StorageError) { pin = Pin(try core.readableGroup()) } catch { stop(error) }
  }

  /// What is referred to, in `core`; nil if it was deleted since.
  fileprivate func resolve(in core: RealmCore) -> Confined? {
    core.checkIsolation()
    guard let pinned = pin.take() else {
      throwRealmException("Can only resolve a thread safe reference once.")
    }
    do throws(StorageError) {
      let shown = try core.readableGroup()
      if shown.version < pinned.version, !core.isInWrite { _ = try core.refresh() }
    } catch { stop(error) }
    return Confined._local(definition, in: Realm(core: core))
  }

  /// What is referred to, on the actor that the caller is isolated to; nil if it was deleted since,
  /// or if the realm cannot be opened there.
  func resolved(
    _ configuration: Realm.Configuration, on actor: isolated any Actor
  ) -> Confined? {
    guard let core = try? RealmCache.core(configuration, .actor(actor)) else { return nil }
    return resolve(in: core)
  }
}

extension Realm {
  /// What `reference` refers to, in this realm, which is advanced to a version that has it, if it
  /// is not in a write transaction. A reference can be resolved once.
  ///
  /// - Returns: Nil if it was deleted since.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    reference.resolve(in: core)
  }
}

// MARK: - Definitions

extension ObjectBase {
  /// What the object is, in terms of the file.
  public final var _definition: _ConfinedDefinition {
    guard let info = _info else {
      throwRealmException("Object is not managed by a Realm.")
    }
    return _ConfinedDefinition(.object(table: info.tableKey, _key))
  }

  /// The object that `definition` describes, in `realm`; nil if it does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard case .object(let table, let key) = definition.kind,
      let info = realm.core.info(ofTable: table)
    else { return nil }
    do throws(StorageError) {
      guard let row = try info.row(of: key) else { return nil }
      return info.makeObject(key, row) as? Self
    } catch { stop(error) }
  }
}

extension Results {
  /// What the results are, in terms of the file.
  public var _definition: _ConfinedDefinition { _ConfinedDefinition(.collection(state.definition)) }

  /// The results that `definition` describes, in `realm`; nil if they cannot exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    ResultsState.local(definition.source, in: realm.core).map { Self($0) }
  }
}

extension List {
  /// What the list is, in terms of the file.
  public var _definition: _ConfinedDefinition {
    guard let managed else {
      throwRealmException("Change notifications are only supported on managed collections.")
    }
    return _ConfinedDefinition(.collection(.list(managed.definition)))
  }

  /// The list that `definition` describes, in `realm`; nil if its object does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> List? {
    guard case .list(let list) = definition.source else { return nil }
    return ManagedList.local(list, in: realm.core).map { List(managed: $0) }
  }
}
