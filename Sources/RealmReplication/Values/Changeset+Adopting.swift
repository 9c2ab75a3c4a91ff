// SPDX-License-Identifier: Apache-2.0

// Parts of one changeset become parts of another: with strings, elements and bytes of its own.

package import RealmSyncProtocol

extension Changeset {
  /// An instruction of another changeset about an object or a value, as one of this changeset.
  package mutating func adopt(_ instruction: Instruction, of other: Changeset) -> Instruction {
    switch instruction {
    case .createObject(let object): return .createObject(adopt(object, of: other))
    case .eraseObject(let object): return .eraseObject(adopt(object, of: other))
    default: return adoptStep(instruction, of: other)
    }
  }

  private mutating func adopt(_ object: ObjectReference, of other: Changeset) -> ObjectReference {
    ObjectReference(
      table: intern(other.text(of: object.table)), key: adopt(object.key, of: other))
  }

  private mutating func adoptStep(_ instruction: Instruction, of other: Changeset) -> Instruction {
    var adopted = instruction
    if var path = instruction.path {
      let elements = other.elements(of: path).map { element -> PathElement in
        switch element {
        case .index: element
        case .key(let key): .key(intern(other.text(of: key)))
        }
      }
      path.elements = addElements(elements)
      path.table = intern(other.text(of: path.table))
      path.field = intern(other.text(of: path.field))
      path.key = adopt(path.key, of: other)
      adopted.path = path
    }
    if let value = instruction.payload { adopted.payload = adopt(value, of: other) }
    return adopted
  }

  /// A value of another changeset, as one of this changeset.
  mutating func adopt(_ value: Payload, of other: Changeset) -> Payload {
    switch value {
    case .string(let range): .string(addBytes(other.text(range)))
    case .binary(let range): .binary(addBytes(Array(other.bytes(range))))
    case .link(let table, let key):
      .link(table: intern(other.text(of: table)), key: adopt(key, of: other))
    default: value
    }
  }

  private mutating func adopt(_ key: PrimaryKey, of other: Changeset) -> PrimaryKey {
    if case .string(let text) = key { return .string(intern(other.text(of: text))) }
    return key
  }
}
