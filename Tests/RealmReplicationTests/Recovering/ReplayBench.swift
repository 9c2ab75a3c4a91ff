// SPDX-License-Identifier: Apache-2.0

// A file with own changes, and a fresh copy on which they are made again.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import Testing

/// Two files that were equal, and what each has done since.
struct ReplayBench {
  typealias Change = @Sendable (inout Changeset, InternedString) -> Void

  let local: ItemFile
  let copy: ItemFile
  private(set) var droppedLists: [String] = []

  /// - Parameters:
  ///   - common: What both have, beside the object `a`.
  ///   - server: What the copy has in addition.
  init(_ common: Change = { _, _ in }, server: Change = { _, _ in }) throws {
    (local, copy) = (try ItemFile(), try ItemFile())
    for items in [local, copy] { try items.apply(common) }
    try copy.apply(server)
  }

  /// Makes changes in the file, and then again on the copy, changeset by changeset.
  ///
  /// - Returns: What was done in place of each, as lines without the name of the class.
  mutating func replay(_ changes: Change...) throws -> [[String]] {
    let changesets = changes.map { change in
      var changeset = Changeset()
      change(&changeset, changeset.intern("Item"))
      return changeset
    }
    // The file may drop what a test wants to see dropped.
    for changeset in changesets { try local.file.apply(changeset, policy: .recovering) }
    let done = try Self.replay(changesets, of: local.file, onto: copy.file)
    droppedLists = done.droppedLists
    return done.changesets.map { changeset in
      changeset.instructions.map { changeset.line($0).replacing("\"Item\"", with: "") }
    }
  }

  /// Makes changesets of a file again on another file.
  ///
  /// What is returned has the same effect (`ChangeReplay` 1).
  static func replay(
    _ changesets: [Changeset], of local: ReplicaFile, onto copy: ReplicaFile,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> (changesets: [Changeset], droppedLists: [String]) {
    let twin = try ReplicaFile()
    try twin.become(copy)
    let group = try WriteGroup(copy.file.beginWrite(), schemas: copy.schemas)
    var results: [Changeset] = []
    var dropped: [String] = []
    do {
      var replay = ChangeReplay(from: try local.read(), .own, onto: group, .own)
      for changeset in changesets {
        // What is uploaded is encoded.
        let bytes = ChangesetEncoder.encode(try replay.replay(changeset))
        results.append(try ChangesetParser.parse(bytes))
      }
      dropped = replay.droppedLists
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
    for result in results { try twin.apply(result) }
    if try twin.digest() != copy.digest() {
      let lines = try StateDifference.lines(from: copy.read(), to: twin.read())
      Issue.record("\(lines.joined(separator: "\n"))", sourceLocation: location)
    }
    return (results, dropped)
  }

  /// The numbers of the list of an object of the copy.
  func numbers(_ key: String = "a", _ name: String = "numbers") throws -> [Int64] {
    guard case .list(let values) = try copy.value(name, of: key) else { return [] }
    return values.compactMap { if case .int(let number) = $0 { number } else { nil } }
  }
}

extension ReplicaFile {
  /// Makes the file equal to another.
  func become(_ other: ReplicaFile) throws {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    var transfer = StateTransfer(from: try other.read(), to: group)
    do {
      try transfer.run()
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }
}

extension Changeset {
  /// Inserts numbers at the end of the list of an object.
  mutating func appendNumbers(
    _ item: InternedString, _ numbers: [Int64], from start: UInt32 = 0, of key: String = "a"
  ) {
    for (index, number) in numbers.enumerated() {
      let place = start + UInt32(index)
      insert(item, key, "numbers", [.at(place)], .int(number), priorSize: place)
    }
  }

  mutating func erase(
    _ item: InternedString, _ key: String, _ field: String, at index: UInt32, priorSize: UInt32
  ) {
    let path = path(item, key, field, [.at(index)])
    append(.arrayErase(.init(path: path, priorSize: priorSize)))
  }

  mutating func move(
    _ item: InternedString, _ key: String, _ field: String, from: UInt32, to: UInt32,
    priorSize: UInt32
  ) {
    let path = path(item, key, field, [.at(from)])
    append(.arrayMove(.init(path: path, target: to, priorSize: priorSize)))
  }

  mutating func clear(
    _ item: InternedString, _ key: String, _ field: String, _ steps: [Step] = [],
    _ kind: ChangesetCollectionKind
  ) {
    let path = path(item, key, field, steps)
    append(.clear(.init(path: path, collection: kind)))
  }
}
