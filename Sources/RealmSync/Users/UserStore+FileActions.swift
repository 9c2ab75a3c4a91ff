// SPDX-License-Identifier: Apache-2.0

// The actions on files that wait for the next start of the program (P3 A).

package import RealmStorage
import RealmTables

extension UserStore {
  static let actionLayout = RecordLayout(
    "class_FileActionMetadata", hasPrimaryKey: true,
    [
      RecordField("original_name", .string), RecordField("new_name", .string, isNullable: true),
      RecordField("action", .int), RecordField("url", .string), RecordField("identity", .string),
    ])

  /// The actions that wait. Blocks the thread while the file is read.
  package nonisolated func fileActions() throws(StorageError) -> [FileAction] {
    let group = try TableGroup(file.snapshot(), schemas: schemas)
    guard let table = try Self.actionLayout.find(in: group) else { return [] }
    var actions: [FileAction] = []
    var rows = try table.records()
    while let row = try rows.next() { actions.append(try Self.action(row)) }
    return actions
  }

  /// Stores an action, in place of another one for the file. A backup whose place the app has been
  /// given before keeps it.
  ///
  /// - Returns: The action as it is stored.
  package func store(_ action: FileAction) throws(StorageError) -> FileAction {
    var action = action
    try write { (group) throws(StorageError) in
      let row = try Self.actionLayout.table(in: group).findOrCreate(.string(action.path))
      if action.backupPath != nil, let known = try row.optionalText("new_name") {
        action.backupPath = known
      }
      try row.set(action.backupPath, "new_name")
      try row.set(action.kind.rawValue, "action")
      try row.set(action.partition, "url")
      try row.set(action.user, "identity")
    }
    return action
  }

  /// Forgets the action for a file. Blocks the thread.
  package nonisolated func removeFileAction(for path: String) throws(StorageError) {
    guard try fileActions().contains(where: { $0.path == path }) else { return }
    try write { (group) throws(StorageError) in
      let table = try Self.actionLayout.table(in: group)
      if let key = try table.find(.string(path))?.key { try table.delete(key) }
    }
  }

  private static func action(_ row: RecordRow) throws(StorageError) -> FileAction {
    let path = try row.text("original_name")
    let (partition, user) = (try row.text("url"), try row.text("identity"))
    switch FileAction.Kind(rawValue: try row.integer("action")) {
    case .delete: return FileAction(deleting: path, partition: partition, user: user)
    case .backUpAndDelete:
      guard let backup = try row.optionalText("new_name") else {
        throw .corrupted("the backup of '\(path)' has no place")
      }
      return FileAction(movingFrom: path, to: backup, partition: partition, user: user)
    case nil: throw .corrupted("the action for '\(path)' is unknown")
    }
  }
}
