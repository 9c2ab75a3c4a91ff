// SPDX-License-Identifier: Apache-2.0

// What objects and collections are, apart from the realm that shows them: enough to find them in
// another realm of the file.

import RealmSession
import RealmStorage
import RealmTables

/// What an object or collection is, in terms of the file. Public only because requirements of
/// `ThreadConfined` name it.
public struct _ConfinedDefinition: Sendable {
  let locator: Locator
  /// What the file does not know: code of the program, or a key path. It is used where the result
  /// is.
  var context: UnsafeTransfer<Any>?

  init(_ locator: Locator) { self.locator = locator }
}

// MARK: - Definitions

extension ObjectBase {
  /// What the object is, in terms of the file.
  public final var _definition: _ConfinedDefinition {
    guard let info = _info else {
      throwRealmException("Object is not managed by a Realm.")
    }
    return _ConfinedDefinition(.object(ObjectLocator(table: info.tableKey, object: _key)))
  }

  /// The object that `definition` describes, in `realm`; nil if it does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    guard case .object(let object) = definition.locator,
      let info = realm.core.info(ofTable: object.table, for: self)
    else { return nil }
    do throws(StorageError) {
      guard let row = try info.row(of: object.object) else { return nil }
      return info.makeObject(object.object, row) as? Self
    } catch { stop(error) }
  }
}

extension Results {
  /// What the results are, in terms of the file.
  public var _definition: _ConfinedDefinition { _ConfinedDefinition(state.definition) }

  /// The results that `definition` describes, in `realm`; nil if they cannot exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self? {
    ResultsState.local(definition.locator, in: realm.core, of: Element.self).map { Self($0) }
  }
}

extension List {
  /// What the list is, in terms of the file.
  public var _definition: _ConfinedDefinition {
    guard let managed else {
      throwRealmException("Change notifications are only supported on managed collections.")
    }
    return _ConfinedDefinition(.list(managed.definition))
  }

  /// The list that `definition` describes, in `realm`; nil if its object does not exist there.
  public static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> List? {
    guard case .list(let list) = definition.locator else { return nil }
    return ManagedCollection.local(list, in: realm.core, of: Element.self).map { List(managed: $0) }
  }
}
