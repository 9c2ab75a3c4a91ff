// SPDX-License-Identifier: Apache-2.0

// The layout of one instruction.

/// Writes instructions; remembers the bytes of the last object, as most instructions concern the
/// object that the one before concerned. It owns the arrays that it reads and writes, so that no
/// reference is counted for an instruction.
struct InstructionWriter: Sendable {
  var output: [UInt8] = []
  /// The path elements and payload bytes of the instructions.
  var elements: [PathElement] = []
  var payloadBytes: [UInt8] = []
  private var lastTable = InternedString(.max)
  private var lastKey = PrimaryKey.null
  /// Class and key of the last object.
  private var objectBytes: [UInt8] = []

  /// The most bytes that are copied one by one, which costs less than counting a reference.
  private static let shortMax = 12

  /// Forgets everything and keeps the memory.
  mutating func removeAll() {
    output.removeAll(keepingCapacity: true)
    elements.removeAll(keepingCapacity: true)
    payloadBytes.removeAll(keepingCapacity: true)
    objectBytes.removeAll(keepingCapacity: true)
    lastTable = InternedString(.max)
  }

  mutating func write(_ instruction: Instruction) {
    switch instruction {
    case .addTable(let step): write(step)
    case .eraseTable(let table):
      output.write(.eraseTable)
      output.write(table)
    case .createObject(let object):
      output.write(.createObject)
      write(object.table, object.key)
    case .eraseObject(let object):
      output.write(.eraseObject)
      write(object.table, object.key)
    case .addColumn(let step): write(step)
    case .eraseColumn(let step):
      output.write(.eraseColumn)
      output.write(step.table)
      output.write(step.field)
    case .update(let step):
      write(.update, step.path)
      write(step.value)
      if !step.path.elements.isEmpty,
        case .index = elements[step.path.elements.indices.upperBound - 1]
      {
        output.write(unsigned: UInt64(step.priorSize))
      } else {
        output.append(step.isDefault ? 1 : 0)
      }
    case .addInteger(let step):
      write(.addInteger, step.path)
      output.write(signed: step.amount)
    case .arrayInsert(let step):
      write(.arrayInsert, step.path)
      write(step.value)
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayMove(let step):
      write(.arrayMove, step.path)
      output.write(unsigned: UInt64(step.target))
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayErase(let step):
      write(.arrayErase, step.path)
      output.write(unsigned: UInt64(step.priorSize))
    case .clear(let step):
      write(.clear, step.path)
      output.append(step.collection.rawValue)
    case .setInsert(let step):
      write(.setInsert, step.path)
      write(step.value)
    case .setErase(let step):
      write(.setErase, step.path)
      write(step.value)
    }
  }

  /// The assignment of a property or of a dictionary's entry.
  mutating func writeUpdate(_ path: InstructionPath, _ value: Payload, isDefault: Bool) {
    write(.update, path)
    write(value)
    output.append(isDefault ? 1 : 0)
  }

  mutating func writeUpdate(_ path: InstructionPath, text: String, isDefault: Bool) {
    write(.update, path)
    output.write(PayloadType.string)
    output.write(unsigned: UInt64(text.utf8.count))
    output.append(contentsOf: text.utf8)
    output.append(isDefault ? 1 : 0)
  }

  mutating func writeUpdate(
    _ path: InstructionPath, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool
  ) {
    write(.update, path)
    output.write(PayloadType.string)
    output.write(unsigned: UInt64(bytes.count))
    unsafe output.append(contentsOf: bytes)
    output.append(isDefault ? 1 : 0)
  }

  private mutating func write(_ step: Instruction.AddTable) {
    assert((step.key == nil) == (step.kind == .embedded), "only embedded classes have no key")
    output.write(.addTable)
    output.write(step.table)
    output.append(step.kind.rawValue)
    guard let key = step.key else { return }
    output.write(key.field)
    output.write(key.type)
    output.append(key.isNullable ? 1 : 0)
  }

  private mutating func write(_ step: Instruction.AddColumn) {
    assert((step.linkTarget != nil) == (step.type == .link), "links alone have a target")
    output.write(.addColumn)
    output.write(step.table)
    output.write(step.field)
    output.write(step.type)
    output.append(step.isNullable ? 1 : 0)
    output.append(step.collection.rawValue)
    if let target = step.linkTarget { output.write(target) }
    if step.collection == .dictionary { output.write(PayloadType.string) }
  }

  private mutating func write(_ tag: InstructionTag, _ path: InstructionPath) {
    output.write(tag)
    write(path.table, path.key)
    output.write(path.field)
    output.write(unsigned: UInt64(path.elements.count))
    for element in path.elements.indices {
      switch elements[element] {
      case .index(let index): output.write(unsigned: UInt64(index))
      case .key(let key):
        output.write(signed: -1)
        output.write(key)
      }
    }
  }

  private mutating func write(_ table: InternedString, _ key: PrimaryKey) {
    if table != lastTable || key != lastKey {
      lastTable = table
      lastKey = key
      objectBytes.removeAll(keepingCapacity: true)
      objectBytes.write(table)
      objectBytes.write(key)
    }
    if objectBytes.count <= Self.shortMax {
      for byte in objectBytes.indices { output.append(objectBytes[byte]) }
    } else {
      output.append(contentsOf: objectBytes)
    }
  }

  private mutating func write(_ value: Payload) {
    output.write(value.type)
    switch value {
    case .string(let range), .binary(let range):
      output.write(unsigned: UInt64(range.count))
      if range.count <= Self.shortMax {
        for index in range.indices { output.append(payloadBytes[index]) }
      } else {
        output.append(contentsOf: payloadBytes[range.indices])
      }
    default: output.write(fixed: value)
    }
  }
}
