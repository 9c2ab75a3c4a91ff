// SPDX-License-Identifier: Apache-2.0

// What a replay needs beside carrying instructions out: it asks how the file is, and has the
// deletion of an object recorded.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension InstructionApplier {
  /// Deletes an object of the present changeset; links to it become null, or leave their lists.
  ///
  /// - Returns: What was recorded; empty if there is no such object.
  mutating func delete(_ object: ObjectReference) throws(ApplyError) -> [UInt8] {
    let recorder = SyncRecorder(file: file)
    return try ifFit { (applier) throws(ApplyProblem) in
      guard let key = try applier.find(object.table, object.key) else { return [] }
      let (group, table) = (applier.group, try applier.table(object.table))
      applier.forgetObject()
      group.recorder = recorder
      defer { group.recorder = nil }
      try ApplyProblem.storing(table.delete(key))
      return try ApplyProblem.storing(recorder.finish(group))
    } ?? []
  }

  /// Whether an object of the present changeset exists.
  mutating func hasObject(_ object: ObjectReference) throws(ApplyError) -> Bool {
    try ifFit { (applier) throws(ApplyProblem) in
      try applier.find(object.table, object.key) != nil
    } ?? false
  }

  /// The size of the list that a path of the present changeset ends in; nil if there is none.
  mutating func sizeOfList(at path: InstructionPath) throws(ApplyError) -> Int? {
    try ifFit { (applier) throws(ApplyProblem) in
      let place = try applier.place(path)
      return try applier.walking(place.listSize)
    }
  }

  /// Whether an assignment takes what is there away, collections with their elements.
  mutating func replacesCollections(_ step: Instruction.Update) throws(ApplyError) -> Bool {
    try ifFit { (applier) throws(ApplyProblem) in
      let place = try applier.place(step.path)
      switch step.value {
      case .objectValue:
        // A property keeps the object that it has.
        if case .entry = place.end { return true }
        return try applier.walking(place.outline())?.isNull ?? true
      case .list: return try applier.walking(place.outline()) != .list([])
      case .dictionary:
        return try applier.walking(place.outline()) != .dictionary(TableDictionary([]))
      default: return true
      }
    } ?? false
  }

  /// What a question gives; nil if it is about something that is not there.
  private mutating func ifFit<R>(
    _ question: (inout InstructionApplier) throws(ApplyProblem) -> R
  ) throws(ApplyError) -> R? {
    do throws(ApplyProblem) {
      return try question(&self)
    } catch {
      if case .refused(let cause) = error { throw .storage(cause) }
      return nil
    }
  }
}
