// SPDX-License-Identifier: Apache-2.0

// The layout of one instruction.

/// Writes instructions; remembers the bytes of the last object, as most instructions concern the
/// object that the one before concerned.
struct InstructionWriter: Sendable {
  private var lastTable = InternedString(.max)
  private var lastKey = PrimaryKey.null
  /// Class and key of the last object.
  private var objectBytes: [UInt8] = []

  mutating func write(
    _ instruction: Instruction, elements: [PathElement], payloadBytes: [UInt8],
    to output: inout [UInt8]
  ) {
    switch instruction {
    case .addTable(let step): write(step, to: &output)
    case .eraseTable(let table):
      output.write(.eraseTable)
      output.write(table)
    case .createObject(let object):
      output.write(.createObject)
      write(object.table, object.key, to: &output)
    case .eraseObject(let object):
      output.write(.eraseObject)
      write(object.table, object.key, to: &output)
    case .addColumn(let step): write(step, to: &output)
    case .eraseColumn(let step):
      output.write(.eraseColumn)
      output.write(step.table)
      output.write(step.field)
    case .update(let step):
      write(.update, step.path, elements, to: &output)
      output.write(step.value, payloadBytes)
      if !step.path.elements.isEmpty,
        case .index = elements[step.path.elements.indices.upperBound - 1]
      {
        output.write(unsigned: UInt64(step.priorSize))
      } else {
        output.append(step.isDefault ? 1 : 0)
      }
    case .addInteger(let step):
      write(.addInteger, step.path, elements, to: &output)
      output.write(signed: step.amount)
    case .arrayInsert(let step):
      write(.arrayInsert, step.path, elements, to: &output)
      output.write(step.value, payloadBytes)
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayMove(let step):
      write(.arrayMove, step.path, elements, to: &output)
      output.write(unsigned: UInt64(step.target))
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayErase(let step):
      write(.arrayErase, step.path, elements, to: &output)
      output.write(unsigned: UInt64(step.priorSize))
    case .clear(let step):
      write(.clear, step.path, elements, to: &output)
      output.append(step.collection.rawValue)
    case .setInsert(let step):
      write(.setInsert, step.path, elements, to: &output)
      output.write(step.value, payloadBytes)
    case .setErase(let step):
      write(.setErase, step.path, elements, to: &output)
      output.write(step.value, payloadBytes)
    }
  }

  private func write(_ step: Instruction.AddTable, to output: inout [UInt8]) {
    assert((step.key == nil) == (step.kind == .embedded), "only embedded classes have no key")
    output.write(.addTable)
    output.write(step.table)
    output.append(step.kind.rawValue)
    guard let key = step.key else { return }
    output.write(key.field)
    output.write(key.type)
    output.append(key.isNullable ? 1 : 0)
  }

  private func write(_ step: Instruction.AddColumn, to output: inout [UInt8]) {
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

  private mutating func write(
    _ tag: InstructionTag, _ path: InstructionPath, _ elements: [PathElement],
    to output: inout [UInt8]
  ) {
    output.write(tag)
    write(path.table, path.key, to: &output)
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

  private mutating func write(
    _ table: InternedString, _ key: PrimaryKey, to output: inout [UInt8]
  ) {
    if table != lastTable || key != lastKey {
      lastTable = table
      lastKey = key
      objectBytes.removeAll(keepingCapacity: true)
      objectBytes.write(table)
      objectBytes.write(key)
    }
    output.append(contentsOf: objectBytes)
  }
}
