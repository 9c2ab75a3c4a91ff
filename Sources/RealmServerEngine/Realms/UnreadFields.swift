// SPDX-License-Identifier: Apache-2.0

// The properties hidden from the author of an upload, at its base or by now (P4 C.2).
//
// Invariants:
// 1. No write to such a property is merged with anything. Its author had the values of new objects
//    there, and others had something else: positions in a list would not be of the same list, and
//    two histories with different changes of this property would be merged. So both sides agree
//    about all other properties although the client was never sent the changes of this one.
//
// A role may hide a property written by the program as it makes an object. This is refused, too,
// unless it is the value of new objects: this one is left out, as it must not replace the value in
// an object of the same key made by others. So it is with an embedded object: where a changeset
// makes one in a property, it leaves out all initial values within that property, as it cannot know
// in which of several they are. They say nothing new: their author has the values of new objects
// there. If it sees the property by now, its own initial value may win at its side over what the
// server sends of it: where the object was there before, the author gets it again (`Touch`).

import RealmReplication
import RealmSyncProtocol
import RealmText

/// Finds the writes of an upload to properties hidden from its author.
struct UnreadFields {
  /// The present rights to read; nil for everything.
  private let current: ReadFilters?
  /// The filters of the client's view, at each version in its uploads.
  private let earlier: ViewFilters
  /// The classes; a path into embedded objects of other classes is that of its property.
  private let paths: PropertyPaths?

  /// Nil if the author has seen all properties, and may.
  init?(_ current: ReadFilters?, _ earlier: ViewFilters, _ paths: PropertyPaths? = nil) {
    guard current?.hidesFields == true || earlier.hidesFields else { return nil }
    self.current = current
    self.earlier = earlier
    self.paths = paths
  }

  /// The refused writes of an upload.
  ///
  /// - Parameter entries: Those that the client's file does not have.
  func refusedWrites(of entries: some Sequence<ReceivedEntry>) -> RefusedWrites {
    var refused = RefusedWrites()
    for entry in entries {
      var changeset = entry.changeset
      for object in take(from: &changeset, base: entry.serverVersion).refused {
        refused.add(
          object, .init(clientVersion: entry.clientVersion, isOutsideOfView: false))
      }
    }
    return refused
  }

  /// What was taken out of a changeset, and what has to be refused.
  struct Taken {
    /// The objects with other writes to hidden properties.
    var refused: [ObjectIdentity] = []
    /// Whether anything was taken.
    var isChanged = false
    /// The objects from which something was taken that the author sees by now.
    var reduced: Set<ObjectIdentity> = []
  }

  /// Takes initial values of hidden properties out of the creations of objects.
  ///
  /// - Parameter base: The client's version at the time.
  @discardableResult
  func take(from changeset: inout Changeset, base: UInt64) -> Taken {
    var sight = Sight(of: changeset, now: current, before: earlier.filters(at: base), paths)
    var taken = Taken()
    var made: Set<ObjectReference> = []
    // The properties of objects in which embedded ones are made.
    var filled: [ObjectReference: Set<InternedString>] = [:]
    var kept: [Instruction] = []
    for instruction in changeset.instructions {
      if case .createObject(let object) = instruction { made.insert(object) }
      guard let path = instruction.path, let object = instruction.object, sight.lacks(path) else {
        if case .objectValue = instruction.payload, let object = instruction.object,
          let path = instruction.path
        {
          filled[object, default: []].insert(path.field)
        }
        kept.append(instruction)
        continue
      }
      let isNew =
        path.elements.isEmpty
        ? made.contains(object) : filled[object]?.contains(path.field) ?? false
      if isNew, changeset.isInitial(instruction) {
        if !sight.lacksNow(path) { taken.reduced.insert(changeset.identity(of: object)) }
        continue
      }
      taken.refused.append(changeset.identity(of: object))
      kept.append(instruction)
    }
    taken.isChanged = kept.count < changeset.instructions.count
    if taken.isChanged { changeset.instructions = kept }
    return taken
  }
}

/// What an author sees of the classes of a changeset, at its base and now.
private struct Sight {
  private typealias Selections = (now: FieldSelection?, before: FieldSelection?)

  private let changeset: Changeset
  private let now: ReadFilters?
  private let before: ReadFilters?
  private let paths: PropertyPaths?
  private var known: [InternedString: Selections] = [:]

  init(
    of changeset: Changeset, now: ReadFilters?, before: ReadFilters?, _ paths: PropertyPaths?
  ) {
    self.changeset = changeset
    self.now = now
    self.before = before
    self.paths = paths
  }

  /// Whether the author does not see a property, or did not.
  mutating func lacks(_ path: InstructionPath) -> Bool {
    let selections = selections(path.table)
    return lacks(path, selections.now) || lacks(path, selections.before)
  }

  /// Whether the author does not see a property now.
  mutating func lacksNow(_ path: InstructionPath) -> Bool {
    lacks(path, selections(path.table).now)
  }

  private func lacks(_ path: InstructionPath, _ selection: FieldSelection?) -> Bool {
    guard let selection else { return false }
    let name = changeset.text(of: path.field)
    guard !path.elements.isEmpty, let paths, selection.inside[name] != nil else {
      return !selection.contains(name)
    }
    return !selection.contains(path: paths.names(along: path, in: changeset))
  }

  private mutating func selections(_ table: InternedString) -> Selections {
    if let known = known[table] { return known }
    let className = changeset.text(of: table)
    let both = (now: selection(now, className), before: selection(before, className))
    known[table] = both
    return both
  }

  private func selection(_ filters: ReadFilters?, _ className: String) -> FieldSelection? {
    guard let fields = filters?.fields(ofClass: className) else { return nil }
    return paths?.bound(fields, ofClass: className) ?? fields
  }
}

extension Changeset {
  /// Whether a step leaves a property of a new object as it is. Null and zero count as the same:
  /// nothing of a hidden property is compared with it.
  fileprivate func isInitial(_ instruction: Instruction) -> Bool {
    switch instruction {
    case .clear: return true
    case .addInteger(let step): return step.amount == 0
    case .update(let step):
      switch step.value {
      case .null, .list, .dictionary, .set: return true
      case .int(let number): return number == 0
      case .bool(let truth): return !truth
      case .string(let range), .binary(let range): return range.count == 0
      case .timestamp(let seconds, let nanoseconds): return seconds == 0 && nanoseconds == 0
      case .float(let number): return number == 0
      case .double(let number): return number == 0
      case .decimal(let number): return number.low == 0 && number.coefficientHigh == 0
      case .objectID(let id): return id.high == 0 && id.low == 0
      case .uuid(let id): return id.high == 0 && id.low == 0
      case .link, .objectValue, .erased: return false
      }
    default: return false
    }
  }
}
