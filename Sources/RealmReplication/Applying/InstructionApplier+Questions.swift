// SPDX-License-Identifier: Apache-2.0

// What a replay has to know of the file before it carries an instruction out.

import RealmSyncProtocol
import RealmTables

extension InstructionApplier {
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
