// SPDX-License-Identifier: Apache-2.0

// What an app or a file can cause is an error, or a trap through `throwRealmException(_:)`, whose
// text says what was wrong.

/// Calls that end the process.
enum TrapRules {
  private static let names: Set<String> = ["fatalError", "precondition", "preconditionFailure"]

  /// The files below `Sources` with such calls, and why each is right.
  static let reasons: [String: String] = [
    "RealmNetworking/WebSocketHandler.swift":
      "a second reader would leave the first one waiting without an end",
    "RealmQuery/Live/ChunkedKeys.swift": "a wrong position would read another chunk's memory",
    "RealmReplication/Recording/SyncRecorder.swift":
      "a text is written by its bytes before the switch is reached",
    "RealmServerEngine/Sessions/BoundedTable.swift":
      "a table without room takes its memory by zero",
    "RealmServerEngine/Sessions/ConnectionAlarms.swift": "alarms are divided by the granularity",
    "RealmServerEngine/Sessions/RealmDirectory.swift":
      "realms are dealt out to threads by division",
    "RealmServerEngine/Sessions/ServerSession.swift":
      "two requests at once would integrate an upload twice",
    "RealmSession/Changes/Locator.swift": "the states of an observer are all of its kind of source",
    "RealmSession/Session/RealmException.swift": "here `throwRealmException(_:)` traps",
    "RealmSession/Session/Session+Write.swift": "a version needs the transaction that made it",
    "RealmSession/Writing/WriterPlace+Confinement.swift":
      "a frozen session is refused before it waits for its turn",
    "RealmStorage/Commit/PendingCommit.swift": "space that is given up twice would be used twice",
    "RealmStorage/Commit/SyncAgentClaim.swift":
      "a file that cannot be written has no lock to claim",
    "RealmStorage/Commit/WriteTransaction+Sync.swift":
      "a history of another kind would be overwritten",
    "RealmStorage/Commit/WriteTransaction.swift":
      "a transaction that goes on after its end would write into the next one's space",
    "RealmStorage/Commit/WriterScheduler.swift":
      "a writer without its turn would write beside another",
    "RealmStorage/History/SyncHistory+Entries.swift": "negative numbers would read as refs",
    "RealmStorage/Nodes/NodeAllocator.swift": "all nodes lie at multiples of eight",
    "RealmStorage/Opening/DatabaseFile+Open.swift":
      "the compiler does not see that a loop has no end",
    "RealmStorage/Threads/ThreadExecutor.swift": "without its thread an executor runs nothing",
    "RealmStudio/Editing/EditCommand.swift":
      "edits of objects and schemas were handled before the switch is reached",
    "RealmSwift/Concurrency/DetachedReaders.swift":
      "a read resumes its caller with its outcome alone",
    "RealmSwift/Concurrency/OpenedCore.swift": "a realm is of one confinement",
    "RealmSwift/Migration/MigrationRun.swift": "dynamic classes make dynamic objects",
    "RealmSwift/Notifications/MapFollower.swift": "an observer of a map gets changes of a map",
    "RealmSwift/Notifications/ObjectChange.swift":
      "an observer of an object gets changes of an object",
    "RealmSwift/Notifications/RealmCollectionChange.swift":
      "an observer of a collection gets changes of a collection",
    "RealmSwift/Realm/Realm+Dynamic.swift": "dynamic classes make dynamic objects",
    "RealmSwift/Realm/UnmanagedValues.swift": "the values of a row are read while its object lives",
    "RealmSync/Adoption/RecordedCopy.swift": "a local history would be overwritten",
    "RealmSync/Agent/SyncAgent.swift": "a local history would be overwritten",
    "RealmTables/Clusters/KeyArray+Edit.swift": "a wrong index would write beyond the node",
    "RealmTables/Records/RecordTable.swift": "the memory of a version is read-only",
  ]

  /// A trap without a reason in the list.
  static func traps(_ file: SourceFile) -> [Violation] {
    guard file.module != nil, file.isSwift,
      reasons[String(file.path.dropFirst("Sources/".count))] == nil
    else { return [] }
    return calls(file).map { token in
      Violation(
        rule: "trap", path: file.path, line: token.line,
        message: "\(token.text)(): throw an error, or trap through throwRealmException(_:)")
    }
  }

  /// The calls in a file that end the process.
  static func calls(_ file: SourceFile) -> [Token] {
    zip(file.tokens, file.tokens.dropFirst()).filter { token, next in
      names.contains(token.text) && next.text == "("
    }.map(\.0)
  }
}
