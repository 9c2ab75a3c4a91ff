// SPDX-License-Identifier: Apache-2.0

// Instructions become bytes, one after the other.

/// Writes a changeset while it is being made.
///
/// An instruction is written in this order: intern its names, add its path elements and its
/// payload bytes, append it. A definition of a string is written when the string is interned for
/// the first time. Path elements and payload bytes are those of the next instruction, and are
/// forgotten after it.
///
/// A property of an object costs about 15 ns.
package struct ChangesetEncoder: Sendable {
  private var strings = StringTable()
  private var writer = InstructionWriter()
  package private(set) var instructionCount = 0
  /// The number of path elements, those of forgotten instructions included.
  package private(set) var elementCount = 0

  package init() {}

  /// The bytes so far; none as long as there is no instruction.
  package var bytes: [UInt8] {
    instructionCount == 0 ? [] : Array(writer.output[..<writer.byteCount])
  }

  /// The number of bytes so far.
  package var byteCount: Int { instructionCount == 0 ? 0 : writer.byteCount }

  /// The index of a string. Defines it if needed.
  package mutating func intern(_ text: String) -> InternedString {
    let count = strings.count
    let string = strings.intern(text)
    if strings.count > count {
      writer.trim()
      writer.output.writeDefinition(of: string, in: strings)
    }
    return string
  }

  /// Adds the elements of the next instruction's path.
  package mutating func addElements(_ path: some Collection<PathElement>) -> ElementRange {
    guard !path.isEmpty else { return .none }
    let start = writer.elements.count
    writer.elements.append(contentsOf: path)
    elementCount += writer.elements.count - start
    return ElementRange(start: UInt32(start), count: UInt32(writer.elements.count - start))
  }

  /// Adds the bytes of a string to the next instruction's payload.
  package mutating func addBytes(_ text: String) -> ByteRange {
    let offset = writer.payloadBytes.count
    writer.payloadBytes.append(contentsOf: text.utf8)
    return ByteRange(offset: offset, count: writer.payloadBytes.count - offset)
  }

  /// Adds the bytes of a binary to the next instruction's payload.
  package mutating func addBytes(_ bytes: some Collection<UInt8>) -> ByteRange {
    let offset = writer.payloadBytes.count
    writer.payloadBytes.append(contentsOf: bytes)
    return ByteRange(offset: offset, count: writer.payloadBytes.count - offset)
  }

  /// Writes an instruction, whose strings, elements and bytes are this encoder's.
  package mutating func append(_ instruction: Instruction) {
    writer.write(instruction)
    finishInstruction()
  }

  /// Writes the assignment of a property, a recorder's commonest instruction. It costs less than
  /// appending the instruction. The path has no elements, or ends in a key.
  package mutating func appendUpdate(
    _ path: InstructionPath, _ value: Payload, isDefault: Bool = false
  ) {
    writer.writeUpdate(path, value, isDefault: isDefault)
    finishInstruction()
  }

  /// Writes the assignment of a string to a property, without a copy of the string.
  package mutating func appendUpdate(
    _ path: InstructionPath, text: String, isDefault: Bool = false
  ) {
    writer.writeUpdate(path, text: text, isDefault: isDefault)
    finishInstruction()
  }

  /// Writes the assignment of a string to a property, by its bytes in the database.
  package mutating func appendUpdate(
    _ path: InstructionPath, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool = false
  ) {
    unsafe writer.writeUpdate(path, utf8: bytes, isDefault: isDefault)
    finishInstruction()
  }

  /// Writes the assignment of a property of the last instruction's object. The value is no string
  /// and no binary.
  package mutating func appendUpdate(
    ofLast field: InternedString, _ value: Payload, isDefault: Bool = false
  ) {
    writer.writeUpdate(ofLast: field, value, isDefault: isDefault)
    instructionCount += 1
  }

  /// Writes the assignment of a string to a property of the last instruction's object.
  package mutating func appendUpdate(
    ofLast field: InternedString, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool = false
  ) {
    unsafe writer.writeUpdate(ofLast: field, utf8: bytes, isDefault: isDefault)
    instructionCount += 1
  }

  @inline(__always)
  private mutating func finishInstruction() {
    instructionCount += 1
    if !writer.elements.isEmpty { writer.elements.removeAll(keepingCapacity: true) }
    if !writer.payloadBytes.isEmpty { writer.payloadBytes.removeAll(keepingCapacity: true) }
  }

  /// Ends the changeset and begins the next. The memory of a large one goes with its bytes.
  package mutating func take() -> [UInt8] {
    var bytes: [UInt8] = []
    if instructionCount > 0 {
      writer.trim()
      if writer.output.count <= Self.keptByteCountMax {
        bytes = Array(writer.output[...])
      } else {
        swap(&bytes, &writer.output)
      }
    }
    removeAll()
    return bytes
  }

  /// The memory to keep for the next changeset.
  private static let keptByteCountMax = 64 << 10

  /// Forgets elements and bytes of an instruction that is not appended after all.
  package mutating func removePending() {
    writer.elements.removeAll(keepingCapacity: true)
    writer.payloadBytes.removeAll(keepingCapacity: true)
  }

  /// Forgets everything and keeps the memory.
  package mutating func removeAll() {
    strings.removeAll()
    writer.removeAll()
    instructionCount = 0
    elementCount = 0
  }

  /// The bytes of a changeset. Strings keep their indices and the positions of their definitions;
  /// definitions at the end for discarded instructions are left out, so a changeset without
  /// instructions has no bytes.
  package static func encode(_ changeset: Changeset) -> [UInt8] {
    var writer = InstructionWriter()
    writer.elements = changeset.elements
    writer.payloadBytes = changeset.payloadBytes
    writer.output.reserveCapacity(
      changeset.payloadBytes.count / 2 + 24 * changeset.instructions.count)
    var defined = 0
    for (position, instruction) in changeset.instructions.enumerated() {
      let needed = instruction.stringCount(elements: changeset.elements)
      while defined < changeset.strings.count,
        defined < needed || changeset.strings.position(of: defined) <= position
      {
        writer.trim()
        writer.output.writeDefinition(of: InternedString(UInt32(defined)), in: changeset.strings)
        defined += 1
      }
      writer.write(instruction)
    }
    writer.trim()
    return writer.output
  }
}
