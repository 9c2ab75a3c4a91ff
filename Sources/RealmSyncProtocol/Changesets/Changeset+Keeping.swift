// SPDX-License-Identifier: Apache-2.0

// A part of a changeset: for a client without a right to the rest, or for an UPLOAD with a limit.
//
// A changeset is written with all strings defined before its last instruction. Keys of objects, of
// links and of dictionaries are such strings, so the ones of other instructions have to go.

extension Changeset {
  /// Keeps some of its instructions, and no string of the others.
  package mutating func keep(_ instructions: [Instruction]) {
    var result = Changeset(origin: origin)
    result.payloadBytes = payloadBytes
    result.instructions.reserveCapacity(instructions.count)
    for instruction in instructions { result.append(result.copy(instruction, of: self)) }
    self = result
  }

  /// Puts the declarations of another changeset first.
  package mutating func prepend(_ declarations: Changeset) {
    var result = Changeset(origin: origin)
    result.payloadBytes = payloadBytes
    for declaration in declarations.instructions {
      result.append(result.copy(declaration, of: declarations))
    }
    for instruction in instructions { result.append(result.copy(instruction, of: self)) }
    self = result
  }

  /// The bytes of the changeset, as several changesets if one would be above a limit. Carried out
  /// one after the other they do what it does.
  ///
  /// - Returns: Nil if a single instruction is above the limit.
  package func encoded(within limit: UploadLimit) -> [[UInt8]]? {
    let bytes = ChangesetEncoder.encode(self)
    let count = instructions.count
    if limit.excess(byteCount: bytes.count, instructionCount: count, elementCount: elements.count)
      == nil
    {
      return bytes.isEmpty ? [] : [bytes]
    }
    guard count > 1 else { return nil }
    var parts: [[UInt8]] = []
    for half in [instructions[..<(count / 2)], instructions[(count / 2)...]] {
      var part = self
      part.keep(Array(half))
      guard let encoded = part.encoded(within: limit) else { return nil }
      parts += encoded
    }
    return parts
  }

  /// An instruction of another changeset with the same payload bytes.
  private mutating func copy(_ instruction: Instruction, of other: Changeset) -> Instruction {
    switch instruction {
    case .addTable(var step):
      step.table = copy(step.table, of: other)
      if let key = step.key { step.key?.field = copy(key.field, of: other) }
      return .addTable(step)
    case .addColumn(var step):
      step.table = copy(step.table, of: other)
      step.field = copy(step.field, of: other)
      step.linkTarget = step.linkTarget.map { copy($0, of: other) }
      return .addColumn(step)
    case .eraseTable(let table): return .eraseTable(copy(table, of: other))
    case .eraseColumn(var step):
      step.table = copy(step.table, of: other)
      step.field = copy(step.field, of: other)
      return .eraseColumn(step)
    case .createObject(let object): return .createObject(copy(object, of: other))
    case .eraseObject(let object): return .eraseObject(copy(object, of: other))
    default: return copyStep(instruction, of: other)
    }
  }

  private mutating func copyStep(_ instruction: Instruction, of other: Changeset) -> Instruction {
    var copied = instruction
    if var path = instruction.path {
      path.table = copy(path.table, of: other)
      path.key = copy(path.key, of: other)
      path.field = copy(path.field, of: other)
      path.elements = addElements(
        other.elements(of: path).map { element in
          if case .key(let key) = element { .key(copy(key, of: other)) } else { element }
        })
      copied.path = path
    }
    if case .link(let table, let key) = instruction.payload {
      copied.payload = .link(table: copy(table, of: other), key: copy(key, of: other))
    }
    return copied
  }

  private mutating func copy(_ string: InternedString, of other: Changeset) -> InternedString {
    intern(other.text(of: string))
  }

  private mutating func copy(_ key: PrimaryKey, of other: Changeset) -> PrimaryKey {
    if case .string(let text) = key { .string(copy(text, of: other)) } else { key }
  }

  private mutating func copy(_ object: ObjectReference, of other: Changeset) -> ObjectReference {
    ObjectReference(table: copy(object.table, of: other), key: copy(object.key, of: other))
  }
}
