// SPDX-License-Identifier: Apache-2.0

// The entries missed by clients at one cursor, read once for all of them.
//
// Invariants:
// 1. No snapshot is kept: an old version would take room in the file as long as it is.
// 2. Of the objects that are left out for a client none was seen by it at its cursor, and none is
//    seen in the version of the snapshot; the client has touched none of them.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The effect of the entries between two versions.
final class MissedChanges: Sendable {
  private struct Property: Hashable {
    let className: String
    let name: String
  }

  /// The objects by a property's values before the first entry and after the last.
  private struct Values {
    var objects: [TableValue: [Int]] = [:]
    /// The objects with an unknown value.
    var unsure: [Int] = []
  }

  let history: [StoredEntry]
  let log: TouchLog
  /// The changesets of the entries; nil for empty ones.
  let changesets: [Changeset?]
  /// The entries of each author, as positions.
  let ownEntries: [FileIdentifier: [Int]]
  /// The authors of the entries.
  let authors: Set<FileIdentifier>

  /// The memory of the entries and the indexes, about.
  let byteCount: Int

  /// The entries with an instruction about no object.
  private let general: [Int]
  private let entries: [ObjectIdentity: [Int]]
  /// The touched objects by their class and by the touching file, as positions in the log.
  private let objectsOfClass: [String: [Int]]
  private let objectsOfFile: [FileIdentifier: [Int]]
  private let values = Locked<[Property: Values]>([:])

  /// - Parameter history: Consecutive entries.
  init(_ history: [StoredEntry]) throws(StoreError) {
    self.history = history
    log = TouchLog(history)
    byteCount = history.reduce(256) { $0 + 3 * $1.changeset.count + 512 * ($1.touches.count + 1) }
    var changesets: [Changeset?] = []
    var general: [Int] = []
    var (entries, ownEntries) = ([ObjectIdentity: [Int]](), [FileIdentifier: [Int]]())
    for (position, entry) in history.enumerated() {
      ownEntries[entry.file, default: []].append(position)
      let changeset = try Self.changeset(of: entry)
      changesets.append(changeset)
      var objects: Set<ObjectReference> = []
      var isGeneral = false
      for instruction in changeset?.instructions ?? [] {
        guard let object = instruction.object else {
          isGeneral = true
          continue
        }
        guard objects.insert(object).inserted, let changeset else { continue }
        entries[changeset.identity(of: object), default: []].append(position)
      }
      if isGeneral { general.append(position) }
    }
    (self.changesets, self.general) = (changesets, general)
    (self.entries, self.ownEntries) = (entries, ownEntries)
    authors = Set(ownEntries.keys)
    var (classes, files) = ([String: [Int]](), [FileIdentifier: [Int]]())
    for (position, object) in log.objects.enumerated() {
      classes[object.className, default: []].append(position)
      for file in log.traces[object]?.files ?? [] { files[file, default: []].append(position) }
    }
    (objectsOfClass, objectsOfFile) = (classes, files)
  }

  private static func changeset(of entry: StoredEntry) throws(StoreError) -> Changeset? {
    guard !entry.changeset.isEmpty else { return nil }
    do throws(ChangesetError) {
      return try ChangesetParser.parse(entry.changeset)
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
  }

  /// The positions of the entries of which something may pass to a client, in order.
  ///
  /// - Parameter passing: The objects with passing instructions.
  func entries(about passing: some Sequence<ObjectIdentity>) -> [Int] {
    var positions = Set(general)
    for object in passing { positions.formUnion(entries[object] ?? []) }
    return positions.sorted()
  }

  // MARK: Objects

  /// The touched objects that a client may have or see, or has touched, in the order of the log.
  ///
  /// - Parameters:
  ///   - file: The client's.
  ///   - view: The client's view at its cursor and afterwards.
  ///   - objects: The objects of the version after the last entry.
  func objects(
    of file: FileIdentifier, in view: View, _ objects: TableGroup
  ) throws(StorageError) -> [ObjectIdentity] {
    var found = Set(objectsOfFile[file] ?? [])
    for (name, positions) in objectsOfClass where !view.isEmpty(ofClass: name) {
      guard let table = try View.table(name, objects),
        let required = view.requiredValues(ofClass: name, table.schema),
        let known = try values(of: required.property, ofClass: name, objects)
      else {
        found.formUnion(positions)
        continue
      }
      found.formUnion(known.unsure)
      for value in required.values { found.formUnion(known.objects[value] ?? []) }
    }
    return found.sorted().map { log.objects[$0] }
  }

  /// The touched objects of a class by a property; nil if the class does not have it.
  private func values(
    of name: String, ofClass className: String, _ objects: TableGroup
  ) throws(StorageError) -> Values? {
    let property = Property(className: className, name: name)
    if let known = values.withLock({ $0[property] }) { return known }
    guard let table = try View.table(className, objects),
      let column = table.schema.column(named: name)
    else { return nil }
    var found = Values()
    for position in objectsOfClass[className] ?? [] {
      let object = log.objects[position]
      guard let trace = log.traces[object] else { continue }
      let now = try table.row(of: object.key)?.value(of: column)
      if let now { found.objects[now, default: []].append(position) }
      if trace.isUnknown || trace.unknown.contains(name) {
        found.unsure.append(position)
      } else if let before = trace.before[name] {
        if before != now { found.objects[before, default: []].append(position) }
      } else if trace.existedBefore, trace.wasErased || now == nil {
        // The property is younger than the note of the erasure.
        found.unsure.append(position)
      }
    }
    values.withLock { $0[property] = found }
    return found
  }
}
