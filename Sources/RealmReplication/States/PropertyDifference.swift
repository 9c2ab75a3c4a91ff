// SPDX-License-Identifier: Apache-2.0

// The shortest way from one state of a property to another: lists keep their common beginning and
// end, sets and dictionaries what they have in common, embedded objects their equal properties.

package import RealmSyncProtocol

/// Makes the instructions that lead from one state of a property to another.
package struct PropertyDifference {
  private let present: Changeset
  private let wanted: Changeset
  /// Begins as the wanted changeset, whose strings, elements and bytes it has.
  private var result: Changeset

  /// - Parameters:
  ///   - present: The state of a property, as `ObjectStateWriter` writes it.
  ///   - wanted: Another state of the property, of the same object.
  package static func changeset(from present: Changeset, to wanted: Changeset) -> Changeset {
    var difference = PropertyDifference(present, wanted)
    difference.lead(from: PropertyState(present), to: PropertyState(wanted))
    return difference.result
  }

  private init(_ present: Changeset, _ wanted: Changeset) {
    self.present = present
    self.wanted = wanted
    result = wanted
    result.instructions = []
  }

  private mutating func lead(from old: PropertyState, to new: PropertyState) {
    if old.text == new.text { return }
    guard old.shape == new.shape else { return replace(new) }
    switch new.shape {
    case .value: replace(new)
    case .object: changeProperties(from: old, to: new)
    case .collection(.list): changeElements(from: old, to: new)
    case .collection(.dictionary): changeEntries(from: old, to: new)
    case .collection(.set), .collection(.single): changeMembers(from: old, to: new)
    }
  }

  /// Writes a value as a whole.
  private mutating func replace(_ state: PropertyState) {
    for index in state.range { result.append(wanted.instructions[index]) }
  }

  // MARK: Objects and dictionaries

  private mutating func changeProperties(from old: PropertyState, to new: PropertyState) {
    let known = Dictionary(
      old.parts.map { ($0.step, $0.state) }, uniquingKeysWith: { first, _ in first })
    for part in new.parts {
      if let state = known[part.step] {
        lead(from: state, to: part.state)
      } else {
        replace(part.state)
      }
    }
  }

  private mutating func changeEntries(from old: PropertyState, to new: PropertyState) {
    let keys = Set(new.parts.map(\.step))
    for part in old.parts where !keys.contains(part.step) {
      guard case .key(let key) = part.step, let path = path(of: new) else { continue }
      let element = PathElement.key(result.intern(key))
      result.append(.update(.init(path: appending(element, to: path), value: .erased)))
    }
    changeProperties(from: old, to: new)
  }

  // MARK: Sets

  private mutating func changeMembers(from old: PropertyState, to new: PropertyState) {
    let (before, after) = (members(old, of: present), members(new, of: wanted))
    let (isThere, isWanted) = (Set(before.map(\.text)), Set(after.map(\.text)))
    for member in before where !isWanted.contains(member.text) {
      guard let path = path(of: new) else { continue }
      result.append(
        .setErase(.init(path: copy(path), value: result.adopt(member.value, of: present))))
    }
    for member in after where !isThere.contains(member.text) {
      result.append(wanted.instructions[member.number])
    }
  }

  private func members(
    _ state: PropertyState, of changeset: Changeset
  ) -> [(number: Int, value: Payload, text: String)] {
    state.head.compactMap { number in
      guard case .setInsert(let step) = changeset.instructions[number] else { return nil }
      return (number, step.value, changeset.line(step.value))
    }
  }

  // MARK: Lists

  private mutating func changeElements(from old: PropertyState, to new: PropertyState) {
    let (before, after) = (old.parts.map(\.state), new.parts.map(\.state))
    let start = zip(before, after).prefix { $0.text == $1.text }.count
    let rest = zip(before[start...].reversed(), after[start...].reversed())
    let end = rest.prefix { $0.text == $1.text }.count
    let pairCount = min(before.count, after.count) - start - end
    for index in start..<start + pairCount {
      changeElement(from: before[index], to: after[index], at: index, of: before.count)
    }
    guard let list = path(of: new) else { return }
    var size = before.count
    for index in (start + pairCount..<before.count - end).reversed() {
      result.append(.arrayErase(.init(path: element(index, of: list), priorSize: UInt32(size))))
      size -= 1
    }
    for index in start + pairCount..<after.count - end {
      insert(after[index], priorSize: size)
      size += 1
    }
    assert(size == after.count, "the list has the wanted size")
  }

  private mutating func changeElement(
    from old: PropertyState, to new: PropertyState, at index: Int, of count: Int
  ) {
    if old.text == new.text { return }
    if old.shape == new.shape, new.shape != .value { return lead(from: old, to: new) }
    guard case .arrayInsert(let step) = wanted.instructions[new.range.lowerBound] else { return }
    guard new.shape != .value || old.shape != .value else {
      let update = Instruction.Update(
        path: step.path, value: step.value, priorSize: UInt32(count))
      return result.append(.update(update))
    }
    result.append(.arrayErase(.init(path: copy(step.path), priorSize: UInt32(count))))
    insert(new, priorSize: count - 1)
  }

  private mutating func insert(_ state: PropertyState, priorSize: Int) {
    for index in state.range {
      var instruction = wanted.instructions[index]
      if index == state.range.lowerBound { instruction.priorSize = UInt32(priorSize) }
      result.append(instruction)
    }
  }

  // MARK: Paths and payloads

  /// The path of a collection.
  private func path(of state: PropertyState) -> InstructionPath? {
    for index in state.head {
      if case .clear(let step) = wanted.instructions[index] { return step.path }
    }
    return nil
  }

  private mutating func element(_ index: Int, of list: InstructionPath) -> InstructionPath {
    appending(.index(UInt32(index)), to: list)
  }

  private mutating func appending(
    _ element: PathElement, to path: InstructionPath
  ) -> InstructionPath {
    var path = path
    path.elements = result.addElements(Array(wanted.elements(of: path)) + [element])
    return path
  }

  /// A path with elements of its own (`Changeset` 3).
  private mutating func copy(_ path: InstructionPath) -> InstructionPath {
    var path = path
    path.elements = result.addElements(Array(wanted.elements(of: path)))
    return path
  }
}
