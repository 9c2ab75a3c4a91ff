// SPDX-License-Identifier: Apache-2.0

// One step of a changeset.

/// One step of a changeset: a change of the schema, of the existence of an object, or of a value.
///
/// An instruction is a plain value without references. Its interned strings, path elements and
/// payload bytes are those of its `Changeset` (or `ChangesetEncoder`), so `==` compares
/// instructions of one changeset only.
package enum Instruction: Hashable, Sendable {
  case addTable(AddTable)
  case eraseTable(InternedString)
  case createObject(ObjectReference)
  case eraseObject(ObjectReference)
  case update(Update)
  case addInteger(AddInteger)
  case addColumn(AddColumn)
  case eraseColumn(EraseColumn)
  case arrayInsert(ArrayInsert)
  case arrayMove(ArrayMove)
  case arrayErase(ArrayErase)
  case clear(Clear)
  case setInsert(SetChange)
  case setErase(SetChange)

  /// Adds a class.
  package struct AddTable: Hashable, Sendable {
    package var table: InternedString
    package var kind: ChangesetTableKind
    /// The column of the primary key; nil for embedded classes only.
    package var key: KeyColumn?

    package init(table: InternedString, kind: ChangesetTableKind, key: KeyColumn?) {
      self.table = table
      self.kind = kind
      self.key = key
    }
  }

  /// The column of a primary key. A class without one has the empty name, the type
  /// `PayloadType.globalKey`, and is not nullable.
  package struct KeyColumn: Hashable, Sendable {
    package var field: InternedString
    package var type: PayloadType
    package var isNullable: Bool

    package init(field: InternedString, type: PayloadType, isNullable: Bool) {
      self.field = field
      self.type = type
      self.isNullable = isNullable
    }
  }

  /// Adds a property to a class.
  package struct AddColumn: Hashable, Sendable {
    package var table: InternedString
    package var field: InternedString
    /// `PayloadType.null` is mixed.
    package var type: PayloadType
    package var isNullable: Bool
    package var collection: ChangesetCollectionKind
    /// The target class of a link, nil for other types. The empty name links to any class.
    package var linkTarget: InternedString?

    package init(
      table: InternedString, field: InternedString, type: PayloadType, isNullable: Bool,
      collection: ChangesetCollectionKind, linkTarget: InternedString? = nil
    ) {
      self.table = table
      self.field = field
      self.type = type
      self.isNullable = isNullable
      self.collection = collection
      self.linkTarget = linkTarget
    }
  }

  /// Removes a property from a class.
  package struct EraseColumn: Hashable, Sendable {
    package var table: InternedString
    package var field: InternedString

    package init(table: InternedString, field: InternedString) {
      self.table = table
      self.field = field
    }
  }

  /// Assigns a value.
  package struct Update: Hashable, Sendable {
    package var path: InstructionPath
    package var value: Payload
    /// Whether the value is the default of a property of a new object. False for list elements.
    package var isDefault: Bool
    /// The size of the list; 0 unless the path ends in an index.
    package var priorSize: UInt32

    package init(
      path: InstructionPath, value: Payload, isDefault: Bool = false, priorSize: UInt32 = 0
    ) {
      self.path = path
      self.value = value
      self.isDefault = isDefault
      self.priorSize = priorSize
    }
  }

  /// Adds to an integer, wrapping.
  package struct AddInteger: Hashable, Sendable {
    package var path: InstructionPath
    package var amount: Int64

    package init(path: InstructionPath, amount: Int64) {
      self.path = path
      self.amount = amount
    }
  }

  /// Inserts an element into a list, at the index at the end of the path.
  package struct ArrayInsert: Hashable, Sendable {
    package var path: InstructionPath
    package var value: Payload
    /// The size of the list before the insertion.
    package var priorSize: UInt32

    package init(path: InstructionPath, value: Payload, priorSize: UInt32) {
      self.path = path
      self.value = value
      self.priorSize = priorSize
    }
  }

  /// Moves the element at the index at the end of the path.
  package struct ArrayMove: Hashable, Sendable {
    package var path: InstructionPath
    /// The index of the element afterwards.
    package var target: UInt32
    package var priorSize: UInt32

    package init(path: InstructionPath, target: UInt32, priorSize: UInt32) {
      self.path = path
      self.target = target
      self.priorSize = priorSize
    }
  }

  /// Removes the element at the index at the end of the path.
  package struct ArrayErase: Hashable, Sendable {
    package var path: InstructionPath
    /// The size of the list before the removal.
    package var priorSize: UInt32

    package init(path: InstructionPath, priorSize: UInt32) {
      self.path = path
      self.priorSize = priorSize
    }
  }

  /// Empties a collection.
  package struct Clear: Hashable, Sendable {
    package var path: InstructionPath
    /// `ChangesetCollectionKind.single` means whichever kind the target has.
    package var collection: ChangesetCollectionKind

    package init(path: InstructionPath, collection: ChangesetCollectionKind) {
      self.path = path
      self.collection = collection
    }
  }

  /// Inserts a value into a set, or removes it.
  package struct SetChange: Hashable, Sendable {
    package var path: InstructionPath
    package var value: Payload

    package init(path: InstructionPath, value: Payload) {
      self.path = path
      self.value = value
    }
  }
}
