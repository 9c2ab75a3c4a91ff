// SPDX-License-Identifier: Apache-2.0

// Migrations as a list of named steps, each of which raises the schema version by one.

public import Foundation
import RealmSession

/// The migrations of a program, in their order.
///
/// ```swift
/// var migrator = RealmMigrator()
/// migrator.register("split the names of persons") { migration in
///   migration.enumerateObjects(ofType: "Person") { old, new in
///     let parts = (old?["name"] as? String ?? "").split(separator: " ", maxSplits: 1)
///     new?["firstName"] = parts.first.map(String.init) ?? ""
///     new?["lastName"] = parts.count > 1 ? String(parts[1]) : ""
///   }
/// }
/// migrator.register("call the city town") { migration in
///   migration.renameProperty(onType: "Address", from: "city", to: "town")
/// }
/// var configuration = Realm.Configuration()
/// configuration.migrator = migrator
/// ```
///
/// The schema version of a file says how many of the steps it has had: the first one leads from
/// `initialVersion` to the next version. Opening a file runs the steps that it lacks, each once, in
/// order, in one write transaction; if one throws, opening throws an error with its name, and the
/// file is unchanged. A new file needs none. Released steps must neither change nor move; new ones
/// are registered after them.
public struct RealmMigrator: Sendable {
  /// Migrates objects by one version; see ``Migration``.
  public typealias Step = @Sendable (_ migration: Migration) throws -> Void

  /// The schema version of the files that the first step is for.
  public let initialVersion: UInt64
  private var steps: [(name: String, run: Step)] = []

  /// Creates a migrator without steps.
  ///
  /// - Parameter initialVersion: The schema version of the oldest files that the program still
  ///   opens; steps that led to it are not needed any more.
  public init(initialVersion: UInt64 = 0) { self.initialVersion = initialVersion }

  /// Adds a step after those that are there.
  ///
  /// Traps if there is a step of that name.
  ///
  /// - Parameters:
  ///   - name: The name, which errors and the log give.
  ///   - step: Migrates the objects. It is called on the thread that opens the file.
  public mutating func register(_ name: String, migrate step: @escaping Step) {
    if steps.contains(where: { $0.name == name }) {
      throwRealmException("There is a migration '\(name)' already.")
    }
    steps.append((name, step))
  }

  /// The names of the steps, in order.
  public var names: [String] { steps.map(\.name) }

  /// The schema version that files have after all steps.
  public var schemaVersion: UInt64 { initialVersion + UInt64(steps.count) }

  /// The names of the steps that opening the file at `fileURL` will run; none if there is no file.
  ///
  /// - Throws: `Realm.Error`, with the errors of ``schemaVersionAtURL(_:encryptionKey:)``, and for
  ///   files that are older than `initialVersion`.
  public func pendingNames(ofFileAt fileURL: URL, encryptionKey: Data? = nil) throws -> [String] {
    guard FileManager.default.fileExists(atPath: fileURL.realmFilePath) else { return [] }
    let version = try schemaVersionAtURL(fileURL, encryptionKey: encryptionKey)
    return try pending(from: version, path: fileURL.realmFilePath).map(\.name)
  }

  private func pending(
    from version: UInt64, path: String
  ) throws -> ArraySlice<(name: String, run: Step)> {
    guard version >= initialVersion else {
      throw Realm.Error(
        .schemaMismatch,
        message: "The Realm at path '\(path)' has schema version \(version), and the first "
          + "migration of the program is for version \(initialVersion). Open it with an older "
          + "release of the program first.",
        path: path)
    }
    return steps.dropFirst(Int(min(version - initialVersion, UInt64(steps.count))))
  }

  /// Runs the steps that a file of an older version lacks.
  func migrate(_ migration: Migration, from version: UInt64, path: String) throws {
    for step in try pending(from: version, path: path) {
      Logger.log(.info, "Migration '\(step.name)' of '\(path)'")
      do {
        try step.run(migration)
      } catch {
        throw Realm.Error(
          .fail,
          message: "Migration '\(step.name)' of the Realm at path '\(path)' failed: \(error)",
          path: path)
      }
    }
  }
}
