// SPDX-License-Identifier: Apache-2.0

// One instruction while it is merged.

/// An instruction with what the rules compare: names as numbers of the merge, and its place in
/// the order of time.
///
/// Invariants:
/// 1. Two steps of different sides name the same class, object, field or key if and only if the
///    numbers are equal.
/// 2. `isChanged` is set if the instruction differs from that of the changeset.
struct MergeStep: Sendable {
  var instruction: Instruction
  let kind: InstructionTag
  /// The changeset, by its position among those of its side.
  let changeset: Int
  let discriminant: Discriminant
  let table: UInt32
  /// The object; absent in changes of the schema.
  let object: UInt32
  /// The field of a path, the column, or the primary key of a class.
  let field: UInt32
  /// The target class of a column, or of a link in a set.
  let target: UInt32
  /// The steps below the field, with the merge's numbers as keys.
  var elements: [PathElement]
  /// The bytes of a string or binary in a set.
  let content: [UInt8]
  private(set) var isDiscarded = false
  private(set) var isChanged = false
  /// Whether a rule made the step. Its strings are numbers of the merge.
  let isPrepended: Bool
  /// The column whose erasure a rule puts before this step.
  var prependedColumn: (table: UInt32, field: UInt32)?

  /// The step of an instruction of the changeset to which `names` has turned.
  init(
    _ instruction: Instruction, of changeset: Changeset, at position: Int,
    discriminant: Discriminant, names: inout MergeNames
  ) {
    self.instruction = instruction
    self.changeset = position
    self.discriminant = discriminant
    isPrepended = false
    kind = instruction.tag
    var field = MergeNames.absent
    var target = MergeNames.absent
    var elements: [PathElement] = []
    var content: [UInt8] = []
    if let object = instruction.object {
      self.object = names.object(object, of: changeset)
    } else {
      object = MergeNames.absent
    }
    table = names.string(instruction.table, of: changeset)
    switch instruction {
    case .addTable(let step):
      if let key = step.key { field = names.string(key.field, of: changeset) }
    case .addColumn(let step):
      field = names.string(step.field, of: changeset)
      if let name = step.linkTarget { target = names.string(name, of: changeset) }
    case .eraseColumn(let step): field = names.string(step.field, of: changeset)
    case .setInsert(let step), .setErase(let step):
      field = names.string(step.path.field, of: changeset)
      switch step.value {
      case .link(let table, let key):
        target = names.object(ObjectReference(table: table, key: key), of: changeset)
      case .string(let range), .binary(let range): content = Array(changeset.bytes(range))
      default: break
      }
    default:
      if let path = instruction.path { field = names.string(path.field, of: changeset) }
    }
    if let path = instruction.path, !path.elements.isEmpty {
      elements.reserveCapacity(Int(path.elements.count))
      for element in changeset.elements(of: path) {
        if case .key(let key) = element {
          elements.append(.key(InternedString(names.string(key, of: changeset))))
        } else {
          elements.append(element)
        }
      }
    }
    self.field = field
    self.target = target
    self.elements = elements
    self.content = content
  }

  /// The erasure of a column that a rule puts before a step.
  init(erasing column: (table: UInt32, field: UInt32), before step: MergeStep) {
    instruction = .eraseColumn(
      .init(table: InternedString(column.table), field: InternedString(column.field)))
    kind = .eraseColumn
    changeset = step.changeset
    discriminant = step.discriminant
    table = column.table
    field = column.field
    object = MergeNames.absent
    target = MergeNames.absent
    elements = []
    content = []
    isPrepended = true
  }

  /// The length of the path by which nested rules compare: 1 for a class, 2 for a column or
  /// object, 3 and more for a value.
  var depth: Int {
    switch kind {
    case .addTable, .eraseTable: 1
    case .addColumn, .eraseColumn, .createObject, .eraseObject: 2
    default: 3 + elements.count
    }
  }

  /// Whether the step changes a value of an object.
  var hasPath: Bool { kind.hasPath }

  mutating func discard() { isDiscarded = true }

  /// Replaces the instruction by another of the same kind.
  mutating func change(_ instruction: Instruction) {
    self.instruction = instruction
    isChanged = true
  }

  func isLater(than other: MergeStep) -> Bool { other.discriminant < discriminant }
}

extension InstructionTag {
  /// Whether instructions of the kind have a path.
  var hasPath: Bool {
    switch self {
    case .update, .addInteger, .arrayInsert, .arrayMove, .arrayErase, .clear, .setInsert,
      .setErase:
      true
    default: false
    }
  }

  /// Whether instructions of the kind change the schema.
  var isSchema: Bool {
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn: true
    default: false
    }
  }
}

extension Instruction {
  var tag: InstructionTag {
    switch self {
    case .addTable: .addTable
    case .eraseTable: .eraseTable
    case .createObject: .createObject
    case .eraseObject: .eraseObject
    case .update: .update
    case .addInteger: .addInteger
    case .addColumn: .addColumn
    case .eraseColumn: .eraseColumn
    case .arrayInsert: .arrayInsert
    case .arrayMove: .arrayMove
    case .arrayErase: .arrayErase
    case .clear: .clear
    case .setInsert: .setInsert
    case .setErase: .setErase
    }
  }
}

/// The order for deciding conflicts: by time, then by file. The later changeset wins.
///
/// No two merged changesets have equal discriminants, because a file's timestamps never go back and
/// the changesets of one file are never merged with each other.
struct Discriminant: Comparable, Sendable {
  var timestamp: OriginTimestamp
  var file: FileIdentifier

  /// The discriminant of a changeset, in whose origin `FileIdentifier.own` means `ownIdent`.
  init(_ origin: ChangesetOrigin, ownIdent: FileIdentifier) {
    timestamp = origin.timestamp
    file = origin.file == .own ? ownIdent : origin.file
  }

  static func < (left: Discriminant, right: Discriminant) -> Bool {
    left.timestamp == right.timestamp
      ? left.file < right.file : left.timestamp < right.timestamp
  }
}
