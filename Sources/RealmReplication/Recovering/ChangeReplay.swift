// SPDX-License-Identifier: Apache-2.0

// Own changes are made again on a fresh copy of their file (P3 D.4, P5 6).
//
// What does not fit any more is dropped. Indices of lists say nothing about the lists of the copy:
// the replay knows where the elements are that it inserted itself, and takes the whole list of the
// file where that is not enough.
//
// Nothing is made that is there: what others have made since is theirs, and changes are made of it.
//
// 1. What is returned, carried out on the copy as it was before, gives the copy as it is now.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Makes the changes of a file again on its fresh copy, changeset by changeset.
///
/// After an error the transaction is to be rolled back. Confined as the transaction.
package struct ChangeReplay<Old: TableReader> {
  private let old: Old
  private let oldFile: FileIdentifier
  private var applier: InstructionApplier
  private var lists: [ListAddress: ListPlaces] = [:]
  /// What of the changeset at hand was carried out.
  private var done: [Instruction] = []
  /// The lists to be copied that the file or the copy has no more.
  package private(set) var droppedLists: [String] = []

  /// - Parameters:
  ///   - old: The file with the changes.
  ///   - oldFile: Its identifier.
  ///   - group: A transaction on the copy.
  ///   - file: The identifier of the copy.
  package init(
    from old: Old, _ oldFile: FileIdentifier, onto group: WriteGroup, _ file: FileIdentifier
  ) {
    self.old = old
    self.oldFile = oldFile
    applier = InstructionApplier(group, file: file, policy: .recovering)
  }

  /// Makes the changes of a changeset again.
  ///
  /// - Returns: What was done, to be uploaded in its place.
  package mutating func replay(_ changeset: Changeset) throws(ApplyError) -> Changeset {
    applier.begin(changeset)
    done = []
    for instruction in changeset.instructions { try replay(instruction) }
    try copyMarkedLists()
    var result = applier.changeset
    result.instructions = done
    return result
  }

  private mutating func replay(_ original: Instruction) throws(ApplyError) {
    var instruction = original
    try replaceMissingLink(&instruction)
    switch instruction {
    case .eraseObject(let object): return try erase(object)
    case .update(let step): try forgetReplacedLists(step)
    case .clear(let step): forgetLists(below: step.path)
    case .createObject(let object):
      // What the copy has is not made: a server of flexible mode would take it for an object that
      // this device does not see, and merge what follows with nothing.
      if try applier.hasObject(object) { return }
    default: break
    }
    guard let path = instruction.path, let place = firstIndex(of: path) else {
      try carryOut(instruction)
      return
    }
    try replay(instruction, path, place)
  }

  @discardableResult
  private mutating func carryOut(_ instruction: Instruction) throws(ApplyError) -> Bool {
    guard try applier.apply(instruction) else { return false }
    done.append(instruction)
    return true
  }

  /// Deletes an object, with the links of the copy that lead to it.
  private mutating func erase(_ object: ObjectReference) throws(ApplyError) {
    forgetLists(of: object)
    let recorded = try parse(try applier.delete(object))
    for instruction in recorded.instructions {
      let adopted = applier.changeset.adopt(instruction, of: recorded)
      done.append(adopted)
      guard case .arrayErase(let step) = adopted, let place = firstIndex(of: step.path),
        place.isLast
      else { continue }
      lists[place.list]?.noteErasure(remote: place.index)
    }
  }

  /// A link to a missing object becomes null in a property and in an entry of a dictionary.
  private mutating func replaceMissingLink(_ instruction: inout Instruction) throws(ApplyError) {
    guard case .update(var step) = instruction, case .link(let table, let key) = step.value else {
      return
    }
    if case .index? = applier.changeset.lastElement(of: step.path) { return }
    if try applier.hasObject(ObjectReference(table: table, key: key)) { return }
    step.value = .null
    instruction = .update(step)
  }

  // MARK: Lists

  /// The first step of a path that is an index, and the list that it is in.
  private struct Place {
    /// The number of the step.
    let step: Int
    let isLast: Bool
    let index: Int
    let list: ListAddress
  }

  private func firstIndex(of path: InstructionPath) -> Place? {
    let elements = Array(applier.changeset.elements(of: path))
    for (number, element) in elements.enumerated() {
      guard case .index(let index) = element else { continue }
      return Place(
        step: number, isLast: number == elements.count - 1, index: Int(index),
        list: ListAddress(path, prefix: elements[..<number], of: applier.changeset))
    }
    return nil
  }

  private mutating func replay(
    _ instruction: Instruction, _ path: InstructionPath, _ place: Place
  ) throws(ApplyError) {
    var instruction = instruction
    var places = lists[place.list] ?? ListPlaces()
    defer { lists[place.list] = places }
    guard place.isLast else {
      guard let remote = places.find(place.index) else { return }
      setIndex(remote, of: path, place)
      try carryOut(instruction)
      return
    }
    // A list that is not there has no elements to be known.
    guard let size = try applier.sizeOfList(at: path) else { return }
    instruction.priorSize = UInt32(size)
    switch instruction {
    case .arrayInsert:
      guard let remote = places.placeOfInsertion(at: place.index, size: size) else { return }
      setIndex(remote, of: path, place)
      if try carryOut(instruction) { places.insert(place.index, remote: remote) }
    case .arrayErase:
      guard let remote = places.find(place.index) else { return }
      setIndex(remote, of: path, place)
      if try carryOut(instruction) { places.erase(place.index) }
    case .arrayMove(var step):
      guard let (from, to) = places.move(from: place.index, to: Int(step.target)) else { return }
      setIndex(from, of: path, place)
      (step.target, step.priorSize) = (UInt32(to), UInt32(size))
      try carryOut(.arrayMove(step))
    default:
      guard let remote = places.find(place.index) else { return }
      setIndex(remote, of: path, place)
      try carryOut(instruction)
    }
  }

  /// Changes an index in the path of an instruction, whose elements are its own (`Changeset` 3).
  private mutating func setIndex(_ index: Int, of path: InstructionPath, _ place: Place) {
    applier.changeset.elements[path.elements.indices.lowerBound + place.step] =
      .index(UInt32(index))
  }

  private mutating func forgetLists(of object: ObjectReference) {
    let address = ListAddress(object, of: applier.changeset)
    lists = lists.filter { !$0.key.isOf(address) }
  }

  /// A value that takes the place of collections takes their lists with it.
  private mutating func forgetReplacedLists(_ step: Instruction.Update) throws(ApplyError) {
    if lists.isEmpty { return }
    if try applier.replacesCollections(step) { forgetLists(below: step.path) }
  }

  /// Forgets the list at a path, and those below: from now on they have what the replay inserts.
  private mutating func forgetLists(below path: InstructionPath) {
    if lists.isEmpty || firstIndex(of: path) != nil { return }
    let address = ListAddress(
      path, prefix: applier.changeset.elements(of: path), of: applier.changeset)
    lists = lists.filter { !$0.key.isAt(address) }
  }

  // MARK: Copying

  /// Takes over the lists of the file whose elements are not distinct.
  private mutating func copyMarkedLists() throws(ApplyError) {
    let marked = lists.filter { $0.value.isToBeCopied && !$0.value.isCopied }.keys
    for address in marked.sorted(by: { "\($0)" < "\($1)" }) { try copy(address) }
  }

  private mutating func copy(_ address: ListAddress) throws(ApplyError) {
    guard let state = try ApplyError.storing(address.property(in: old, oldFile)),
      case let changeset = try parse(state),
      let list = PropertyState(changeset).part(at: address.steps)
    else { return drop(address) }
    let instructions = list.range.filter { number in
      if case .update = changeset.instructions[number] { return !list.head.contains(number) }
      return true
    }.map { applier.changeset.adopt(changeset.instructions[$0], of: changeset) }
    // Links to objects of later changesets are copied when those are there.
    let missing = try missingLinkCount(instructions)
    if lists[address]?.missingLinkCount == missing { return }
    // The places in the copied list are those of a replay of its own.
    var places = ListPlaces()
    for instruction in instructions {
      if let path = instruction.path, let place = firstIndex(of: path) {
        let mark = lists.updateValue(places, forKey: address)
        try replay(instruction, path, place)
        places = lists[address] ?? places
        lists[address] = mark
      } else if try !carryOut(instruction) {
        return drop(address)
      }
    }
    lists[address]?.noteCopy(without: missing)
  }

  private mutating func drop(_ address: ListAddress) {
    droppedLists.append("\(address)")
    lists[address]?.noteCopy(without: 0)
  }

  private mutating func missingLinkCount(
    _ instructions: [Instruction]
  ) throws(ApplyError) -> Int {
    var count = 0
    for instruction in instructions {
      guard case .link(let table, let key)? = instruction.payload else { continue }
      if try !applier.hasObject(ObjectReference(table: table, key: key)) { count += 1 }
    }
    return count
  }

  private func parse(_ bytes: [UInt8]) throws(ApplyError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes)
    } catch {
      throw .badChangeset(.badValue("\(error)"), instruction: "the copy of a list")
    }
  }
}
