// SPDX-License-Identifier: Apache-2.0

// Applies one instruction below an object of the model.

import RealmSyncProtocol

/// Walks the path of an instruction and changes the value at its end.
struct ModelEditor {
  var instruction: Instruction
  var changeset: Changeset

  mutating func edit(
    _ value: inout ModelValue, _ type: ModelType, _ steps: ArraySlice<PathElement>
  ) throws {
    guard let step = steps.first else { return try editValue(&value, type) }
    switch (value, step) {
    case (.object(var fields), .key(let key)):
      let name = changeset.text(of: key)
      guard var field = fields[name], let below = type.below(name) else { throw mismatch("field") }
      try edit(&field, below, steps.dropFirst())
      fields[name] = field
      value = .object(fields)
    case (.dictionary(var entries), .key(let key)):
      let name = changeset.text(of: key)
      guard let below = type.below(nil) else { throw mismatch("entry") }
      if steps.count == 1, case .update(let update) = instruction {
        if update.value == .erased {
          entries[name] = nil
        } else {
          var entry = entries[name] ?? .null
          try assign(update.value, to: &entry, below)
          entries[name] = entry
        }
      } else {
        // A Clear makes its collection, where there is no value too: an older Erased may have won
        // over the assignment that came before it.
        if case .clear = instruction, steps.count == 1, entries[name] == nil {
          entries[name] = .null
        }
        guard var entry = entries[name] else { throw mismatch("key") }
        try edit(&entry, below, steps.dropFirst())
        entries[name] = entry
      }
      value = .dictionary(entries)
    case (.list(var items), .index(let index)):
      guard let below = type.below(nil) else { throw mismatch("element") }
      try edit(&items, at: Int(index), below, steps)
      value = .list(items)
    default: throw mismatch("path")
    }
  }

  private mutating func edit(
    _ items: inout [ModelValue], at index: Int, _ type: ModelType, _ steps: ArraySlice<PathElement>
  ) throws {
    if steps.count == 1 {
      switch instruction {
      case .arrayInsert(let insert):
        guard items.count == insert.priorSize, index <= items.count else { throw mismatch("size") }
        var item = ModelValue.null
        try assign(insert.value, to: &item, type)
        items.insert(item, at: index)
        return
      case .arrayErase(let erase):
        guard items.count == erase.priorSize, index < items.count else { throw mismatch("size") }
        items.remove(at: index)
        return
      case .arrayMove(let move):
        guard items.count == move.priorSize, index < items.count, move.target < items.count else {
          throw mismatch("size")
        }
        items.insert(items.remove(at: index), at: Int(move.target))
        return
      case .update(let update):
        guard items.count == update.priorSize else { throw mismatch("size") }
      default: break
      }
    }
    guard index < items.count else { throw mismatch("index") }
    try edit(&items[index], type, steps.dropFirst())
  }

  private func editValue(_ value: inout ModelValue, _ type: ModelType) throws {
    switch (instruction, value) {
    case (.update(let update), _): try assign(update.value, to: &value, type)
    case (.addInteger(let add), .int(let number)): value = .int(number &+ add.amount)
    case (.addInteger, .null): break
    case (.setInsert(let insert), .set(var members)):
      members.insert(changeset.line(insert.value))
      value = .set(members)
    case (.setErase(let erase), .set(var members)):
      members.remove(changeset.line(erase.value))
      value = .set(members)
    case (.clear(let clear), _):
      if case .mixed = type {
        value = clear.collection == .list ? .list([]) : .dictionary([:])
      } else {
        value = type.initial
      }
    default: throw mismatch("kind")
    }
  }

  private func assign(_ payload: Payload, to value: inout ModelValue, _ type: ModelType) throws {
    switch (payload, type) {
    case (.null, _): value = .null
    case (.int(let number), _): value = .int(number)
    case (.string(let range), _): value = .text(changeset.text(range))
    case (.link(_, .int(let key)), _): value = .link(key)
    case (.objectValue, .embedded(let fields)):
      if case .object = value { break }
      value = ModelType.newObject(fields)
    case (.list, .mixed):
      if case .list = value { break }
      value = .list([])
    case (.dictionary, .mixed):
      if case .dictionary = value { break }
      value = .dictionary([:])
    default: throw mismatch("payload")
    }
  }

  private func mismatch(_ reason: String) -> ModelWorld.Mismatch {
    ModelWorld.Mismatch(reason: reason)
  }
}
