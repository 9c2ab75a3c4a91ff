// SPDX-License-Identifier: Apache-2.0

// The changes of other processes, as they commit: `realm watch`.
//
// 1. The changes between two shown versions are those of all commits in between: the last shown
//    version is pinned until the next one is, so its changes are kept.

#if Tools
package import RealmFormats
import RealmQuery
package import RealmStorage
package import RealmTables

/// Follows a file from version to version.
package final class ChangeWatch {
  /// The change of one object.
  package struct Event: Sendable {
    /// The kinds of changes.
    package enum Kind: String, Sendable {
      case inserted, modified, deleted
    }

    package let version: UInt64
    package let kind: Kind
    package let className: String
    package let key: ObjectKey
    /// The object's properties, after the change; nil for a deleted one.
    package let object: JSONValue?
    /// The names of the changed properties.
    package let changed: [String]

    /// The event for programs.
    package var json: JSONValue {
      [
        "version": .integer(Int64(clamping: version)), "change": .string(kind.rawValue),
        "class": .string(className), "key": .integer(key.rawValue),
        "properties": .array(changed.map { .string($0) }), "object": object ?? .null,
      ]
    }

    /// The event for people.
    package var text: String {
      let mark =
        switch kind {
        case .inserted: "+"
        case .modified: "~"
        case .deleted: "-"
        }
      var line = "\(mark) \(className) #\(key.rawValue)"
      guard case .object(let members)? = object else { return line }
      let shown = kind == .modified ? members.filter { changed.contains($0.key) } : members
      for member in shown {
        line += "  \(member.key): \(CellText.shortened(JSONWriter.text(member.value), limit: 40))"
      }
      return line
    }
  }

  private let file: DatabaseFile
  private let query: String?
  private var shown: TableGroup
  private let schemas = SchemaCache()
  /// The selected objects in the last shown version; nil without a query.
  private var selected: Set<ObjectKey>?

  /// Begins with the newest version.
  ///
  /// - Parameter query: The objects whose changes are of interest; nil for all.
  package init(path: String, key: EncryptionKey?, query: String?) throws {
    self.query = query
    do throws(StorageError) {
      file = try DatabaseFile.openToWatch(path: path, key: key)
      shown = try TableGroup(try file.snapshot(), schemas: schemas)
    } catch { throw ToolFailure(error) }
    selected = try selection(in: shown)?.keys
  }

  private func selection(
    in group: TableGroup
  ) throws -> (schema: TableSchema, keys: Set<ObjectKey>)? {
    guard let query else { return nil }
    let run = try QueryRun(query, in: StoredSchema(group))
    return (run.schema, Set(try run.keys()))
  }

  /// The last shown version.
  package var version: UInt64 { shown.version }

  /// Calls `body` with the changes since the last call.
  package func advance(_ body: (Event) throws -> Void) throws {
    let group = try TableGroup(try file.snapshot(), schemas: schemas)
    guard group.version > shown.version else { return }
    let changesets = try file.changesets(after: shown.version, through: group.snapshot)
    let changes = try ChangeLogParser.changes(in: changesets)
    let classes = try StoredSchema(group)
    let json = ObjectJSON(classes)
    let selection = try selection(in: group)
    for schema in classes.all where schema.kind != .embedded {
      if let selection, selection.schema.key != schema.key { continue }
      let table = try group.table(schema.key)
      func event(_ kind: Event.Kind, _ key: ObjectKey, _ columns: [String] = []) throws {
        let row = kind == .deleted ? nil : try table?.row(of: key)
        try body(
          Event(
            version: group.version, kind: kind, className: schema.displayName, key: key,
            object: try row.map { .object(try json.members(of: $0, schema)) }, changed: columns))
      }
      let found = SelectedChanges(changes[schema.key], before: selected, after: selection?.keys)
      for key in found.deleted { try event(.deleted, key) }
      for key in found.inserted { try event(.inserted, key, schema.columns.map(\.name)) }
      for (key, columns) in found.modified {
        try event(.modified, key, columns.compactMap { schema.column($0)?.name })
      }
    }
    if let selection { selected = selection.keys }
    shown = group
  }

  /// Calls `body` with changes as they come, until it says false.
  ///
  /// The calling thread sleeps in between; nothing is asked of the file until another process
  /// commits.
  package func follow(_ body: (Event) throws -> Bool) throws {
    let signal = CommitSignal()
    let listener = try file.onNewVersion { _ in signal.raise() }
    defer { listener.cancel() }
    var goesOn = true
    while true {
      try advance { if goesOn { goesOn = try body($0) } }
      guard goesOn else { return }
      signal.wait()
    }
  }
}
#endif
