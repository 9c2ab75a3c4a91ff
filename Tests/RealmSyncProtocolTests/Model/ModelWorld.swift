// SPDX-License-Identifier: Apache-2.0

// A database of one class in memory, to which instructions are applied strictly.

import RealmSyncProtocol

/// The objects of a peer. An instruction that does not fit throws: correct peers never meet one.
struct ModelWorld: Equatable {
  /// The contradiction between an instruction and the objects.
  struct Mismatch: Error {
    var reason: String
  }

  var objects: [Int64: ModelValue] = [:]

  mutating func apply(_ changeset: Changeset) throws {
    for instruction in changeset.instructions {
      do {
        try apply(instruction, of: changeset)
      } catch let mismatch as Mismatch {
        throw Mismatch(reason: "\(changeset.line(instruction)): \(mismatch.reason)")
      }
    }
  }

  mutating func apply(_ instruction: Instruction, of changeset: Changeset) throws {
    guard let object = instruction.object, case .int(let key) = object.key else {
      throw Mismatch(reason: "not for the model")
    }
    switch instruction {
    case .createObject:
      if objects[key] == nil { objects[key] = ModelType.newObject(ModelType.fields) }
    case .eraseObject: objects[key] = nil
    default:
      guard let path = instruction.path, var value = objects[key] else {
        throw Mismatch(reason: "no object")
      }
      var editor = ModelEditor(instruction: instruction, changeset: changeset)
      let steps: [PathElement] = [.key(path.field)] + Array(changeset.elements(of: path))
      try editor.edit(&value, .embedded(ModelType.fields), steps[...])
      objects[key] = value
    }
  }
}
