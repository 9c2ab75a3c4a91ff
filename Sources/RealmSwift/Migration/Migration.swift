// SPDX-License-Identifier: Apache-2.0

// The interface of a migration: reading the old objects of a file and writing those of its present
// classes.

import RealmSession
import RealmStorage

/// Migrates objects from an older schema version. `migration` is valid for the duration of the call
/// only; the number is the version that the file had.
public typealias MigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// Receives an object in its old and its new form; see `Migration.enumerateObjects(ofType:_:)`.
public typealias MigrationObjectEnumerateBlock =
  (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// A change of a file's schema that is in progress.
///
/// ```swift
/// var configuration = Realm.Configuration(schemaVersion: 2)
/// configuration.migrationBlock = { migration, oldVersion in
///   if oldVersion < 1 { migration.renameProperty(onType: "Person", from: "name", to: "fullName") }
///   migration.enumerateObjects(ofType: "Person") { old, new in
///     new?["age"] = Int(old?["age"] as? String ?? "") ?? 0
///   }
/// }
/// ```
///
/// When the block is called, the tables have the new properties and classes already, and still
/// those that the new schema lacks, so that they can be renamed. Values of properties whose type
/// changed are available from the old objects only. Everything happens in one write transaction: if
/// the process ends meanwhile, the file is unchanged. Primary keys may be set in migrations; if two
/// are equal at the end, opening the realm throws `Realm.Error.fail`, and the file is unchanged.
///
/// A migration, and the objects that it returns, may be used on the thread of the block only, and
/// until the block returns.
public final class Migration {
  private let run: MigrationRun

  init(_ run: MigrationRun) { self.run = run }

  /// The classes that the file had.
  public var oldSchema: Schema { Schema(run.oldCore.classes.dynamic.schemas.all) }

  /// The classes that the file will have.
  public var newSchema: Schema { Schema(run.schemas) }

  /// Calls `block` with each object of a class: its old form, read-only, and its new form.
  ///
  /// Objects that were deleted in this migration are left out. If the program does not have the
  /// class any more, the new object is nil; for classes that the file did not have, the old object
  /// is. Nothing happens for names of neither schema.
  public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
    orTrap(try run.enumerateObjects(typeName, block))
  }

  /// Creates an object of a class of the new schema.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class; traps if there is no such class.
  ///   - value: The values of its properties: a dictionary by name, an array in the order of the
  ///     declarations, or another object. Missing ones get the defaults of the class.
  @discardableResult
  public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
    let core = run.newCore
    return core.createDynamic(core.dynamicInfo(named: typeName), value, .error)
  }

  /// Deletes a new object.
  public func delete(_ object: MigrationObject) { run.newCore.objects.delete([object]) }

  /// Deletes all objects of a class, and the class itself if the program does not have it any more.
  ///
  /// - Returns: Whether the file had the class.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    orTrap(try run.deleteData(typeName))
  }

  /// Renames a property; its values stay. The names are those of columns.
  ///
  /// Must be called outside of `enumerateObjects(ofType:_:)`: objects that the migration returned
  /// before become invalid.
  ///
  /// Traps if the class or the property does not exist, if the new schema still has the old name,
  /// and if the new property is of another type or not optional where the old one is.
  public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
    do {
      try run.renameProperty(typeName, oldName, newName)
    } catch let error as StorageError {
      stop(error)
    } catch {
      throwRealmException("\(error)")
    }
  }
}
