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

/// The kind of collection in a column or a mixed value, with its number on the wire.
package enum ChangesetCollectionKind: UInt8, CaseIterable, Hashable, Sendable {
  case single = 0
  case list = 1
  case dictionary = 2
  case set = 3
}

/// The kind of a class, with its number on the wire.
package enum ChangesetTableKind: UInt8, CaseIterable, Hashable, Sendable {
  case topLevel = 0
  case embedded = 1
  /// Top level; its objects are sent to the server and then removed.
  case asymmetric = 2
}

/// A step from a property, or from a value below it, to a value below that.
package enum PathElement: Hashable, Sendable {
  /// The element of a list.
  case index(UInt32)
  /// The value of a dictionary's key, or the property of an embedded object.
  case key(InternedString)
}

/// A range of the path elements of one changeset. No two instructions share elements, as merging
/// changes the indices of each on its own.
package struct ElementRange: Hashable, Sendable {
  package var start: UInt32
  package var count: UInt32

  package init(start: UInt32, count: UInt32) {
    self.start = start
    self.count = count
  }

  /// The path of a property itself.
  package static let none = ElementRange(start: 0, count: 0)

  package var isEmpty: Bool { count == 0 }

  /// The range as indices of the path elements.
  package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// The address of a value in an instruction, beginning at a top-level object.
package struct InstructionPath: Hashable, Sendable {
  // The key stands first because the other parts fit into its last word.
  package var key: PrimaryKey
  package var table: InternedString
  package var field: InternedString
  /// The steps below the field, as elements of the instruction's changeset.
  package var elements: ElementRange

  package init(
    table: InternedString, key: PrimaryKey, field: InternedString, elements: ElementRange = .none
  ) {
    self.table = table
    self.key = key
    self.field = field
    self.elements = elements
  }
}

/// A class and a primary key.
package struct ObjectReference: Hashable, Sendable {
  package var table: InternedString
  package var key: PrimaryKey

  package init(table: InternedString, key: PrimaryKey) {
    self.table = table
    self.key = key
  }
}
