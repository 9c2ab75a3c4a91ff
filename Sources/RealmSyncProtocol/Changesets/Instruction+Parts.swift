// SPDX-License-Identifier: Apache-2.0

// The common parts of kinds of instructions.

extension Instruction {
  /// The path of an instruction about a value; nil for other kinds. Setting it changes nothing in
  /// other kinds.
  package var path: InstructionPath? {
    get {
      switch self {
      case .update(let step): step.path
      case .addInteger(let step): step.path
      case .arrayInsert(let step): step.path
      case .arrayMove(let step): step.path
      case .arrayErase(let step): step.path
      case .clear(let step): step.path
      case .setInsert(let step), .setErase(let step): step.path
      case .addTable, .eraseTable, .createObject, .eraseObject, .addColumn, .eraseColumn: nil
      }
    }
    set {
      guard let path = newValue else { return }
      switch self {
      case .update(var step): step.path = path; self = .update(step)
      case .addInteger(var step): step.path = path; self = .addInteger(step)
      case .arrayInsert(var step): step.path = path; self = .arrayInsert(step)
      case .arrayMove(var step): step.path = path; self = .arrayMove(step)
      case .arrayErase(var step): step.path = path; self = .arrayErase(step)
      case .clear(var step): step.path = path; self = .clear(step)
      case .setInsert(var step): step.path = path; self = .setInsert(step)
      case .setErase(var step): step.path = path; self = .setErase(step)
      case .addTable, .eraseTable, .createObject, .eraseObject, .addColumn, .eraseColumn: break
      }
    }
  }

  /// The assigned, inserted or erased value, in kinds with one. Setting it changes nothing in other
  /// kinds.
  package var payload: Payload? {
    get {
      switch self {
      case .update(let step): step.value
      case .arrayInsert(let step): step.value
      case .setInsert(let step), .setErase(let step): step.value
      default: nil
      }
    }
    set {
      guard let value = newValue else { return }
      switch self {
      case .update(var step): step.value = value; self = .update(step)
      case .arrayInsert(var step): step.value = value; self = .arrayInsert(step)
      case .setInsert(var step): step.value = value; self = .setInsert(step)
      case .setErase(var step): step.value = value; self = .setErase(step)
      default: break
      }
    }
  }

  /// The top-level object of the instruction; nil for changes of the schema.
  package var object: ObjectReference? {
    switch self {
    case .createObject(let object), .eraseObject(let object): object
    default: path.map { ObjectReference(table: $0.table, key: $0.key) }
    }
  }

  /// The class of the instruction.
  package var table: InternedString {
    switch self {
    case .addTable(let step): step.table
    case .eraseTable(let table): table
    case .addColumn(let step): step.table
    case .eraseColumn(let step): step.table
    case .createObject(let object), .eraseObject(let object): object.table
    case .update(let step): step.path.table
    case .addInteger(let step): step.path.table
    case .arrayInsert(let step): step.path.table
    case .arrayMove(let step): step.path.table
    case .arrayErase(let step): step.path.table
    case .clear(let step): step.path.table
    case .setInsert(let step), .setErase(let step): step.path.table
    }
  }

  /// The size of the list before the step, in kinds with it. Setting it changes nothing in others.
  package var priorSize: UInt32? {
    get {
      switch self {
      case .update(let step): step.priorSize
      case .arrayInsert(let step): step.priorSize
      case .arrayMove(let step): step.priorSize
      case .arrayErase(let step): step.priorSize
      default: nil
      }
    }
    set {
      guard let size = newValue else { return }
      switch self {
      case .update(var step): step.priorSize = size; self = .update(step)
      case .arrayInsert(var step): step.priorSize = size; self = .arrayInsert(step)
      case .arrayMove(var step): step.priorSize = size; self = .arrayMove(step)
      case .arrayErase(var step): step.priorSize = size; self = .arrayErase(step)
      default: break
      }
    }
  }
}
