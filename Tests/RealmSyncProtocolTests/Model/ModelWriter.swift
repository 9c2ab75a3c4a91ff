// SPDX-License-Identifier: Apache-2.0

// A writer of the model: random transactions with what a recorder would record.

import RealmSyncProtocol
import RealmTestSupport

/// Changes a world at random and records the changes.
struct ModelWriter {
  /// A step of a path.
  enum Step {
    case index(Int)
    case key(String)
  }

  var world: ModelWorld
  var generator: SeededGenerator
  /// Whether a mixed value that is ever a collection is never anything else. The rules let three
  /// peers diverge otherwise: of two that made a list of a value, the assignment of a third
  /// between them discards the one and yields to the other.
  var keepsKinds = false
  private var changeset = Changeset()
  private var key: Int64 = 0

  init(world: ModelWorld, seed: UInt64) {
    self.world = world
    generator = SeededGenerator(seed: seed)
  }

  /// A transaction of some changes.
  mutating func transaction(changes: Int) -> Changeset {
    changeset = Changeset()
    for _ in 0..<changes { change() }
    return changeset
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(elements.count)]
  }

  private mutating func record(_ instruction: Instruction) {
    changeset.append(instruction)
    do {
      try world.apply(instruction, of: changeset)
    } catch {
      preconditionFailure("a change that its own world refuses: \(error)")
    }
  }

  private mutating func object(_ key: Int64) -> ObjectReference {
    ObjectReference(table: changeset.intern("Thing"), key: .int(key))
  }

  private mutating func change() {
    let keys = world.objects.keys.sorted()
    let random = number(100)
    if keys.isEmpty || random < 8 { return create(Int64(number(4))) }
    key = pick(keys)
    if random < 12 { return erase() }
    let name = pick(ModelType.fields.keys.sorted())
    guard case .object(let fields) = world.objects[key], let value = fields[name],
      let type = ModelType.fields[name]
    else { return }
    change(value, type, field: name, [], size: 0)
  }

  private mutating func create(_ newKey: Int64) {
    guard world.objects[newKey] == nil else { return }
    key = newKey
    record(.createObject(object(newKey)))
    for name in ["int", "text", "mixed"] where generator.chance(0.4) {
      if keepsKinds, name == "mixed" { continue }
      update(name, [], name == "text" ? text() : .int(Int64(number(5))), size: 0, isDefault: true)
    }
  }

  private mutating func erase() {
    let erased = key
    for linking in world.objects.keys.sorted() {
      guard case .object(let fields) = world.objects[linking], fields["link"] == .link(erased)
      else { continue }
      key = linking
      update("link", [], .null, size: 0)
    }
    record(.eraseObject(object(erased)))
  }

  private mutating func path(_ field: String, _ steps: [Step]) -> InstructionPath {
    let elements: [PathElement] = steps.map { step in
      switch step {
      case .index(let index): .index(UInt32(index))
      case .key(let key): .key(changeset.intern(key))
      }
    }
    return InstructionPath(
      table: changeset.intern("Thing"), key: .int(key), field: changeset.intern(field),
      elements: changeset.addElements(elements))
  }

  private mutating func text() -> Payload { .string(changeset.addBytes("text \(number(50))")) }

  private mutating func scalar() -> Payload {
    switch number(3) {
    case 0: .null
    case 1: .int(Int64(number(100)))
    default: text()
    }
  }

  private mutating func update(
    _ field: String, _ steps: [Step], _ value: Payload, size: Int, isDefault: Bool = false
  ) {
    record(
      .update(
        .init(
          path: path(field, steps), value: value, isDefault: isDefault, priorSize: UInt32(size))))
  }

  /// Whether the value is an element of a list. No rule moves a Clear of one with its list, in the
  /// peers neither, so the model makes none.
  private func isElement(_ steps: [Step]) -> Bool {
    if case .index = steps.last { return true }
    return false
  }

  private mutating func clear(_ field: String, _ steps: [Step], _ kind: ChangesetCollectionKind) {
    guard !isElement(steps) else { return }
    record(.clear(.init(path: path(field, steps), collection: kind)))
  }

  /// Changes a value, or one below it. `size` is that of the list whose element the value is.
  private mutating func change(
    _ value: ModelValue, _ type: ModelType, field: String, _ steps: [Step], size: Int
  ) {
    switch type {
    case .int, .optionalInt:
      if generator.chance(0.5) {
        let amount = Int64(number(9)) - 4
        record(.addInteger(.init(path: path(field, steps), amount: amount)))
      } else {
        var value = Payload.int(Int64(number(100)))
        if case .optionalInt = type, generator.chance(0.3) { value = .null }
        update(field, steps, value, size: size)
      }
    case .text: update(field, steps, text(), size: size)
    case .link:
      let target = pick(world.objects.keys.sorted())
      let link = Payload.link(table: changeset.intern("Thing"), key: .int(target))
      update(field, steps, generator.chance(0.3) ? .null : link, size: size)
    case .set: changeSet(field, steps)
    case .list(let element):
      if case .list(let items) = value { changeList(items, element, field: field, steps) }
    case .dictionary(let element):
      if case .dictionary(let entries) = value {
        changeDictionary(entries, element, field: field, steps)
      }
    case .embedded(let fields): changeEmbedded(value, fields, field: field, steps, size: size)
    case .mixed: changeMixed(value, field: field, steps, size: size)
    }
  }

  private mutating func changeSet(_ field: String, _ steps: [Step]) {
    let member = Payload.string(changeset.addBytes("member \(number(4))"))
    switch number(10) {
    case 0: clear(field, steps, .set)
    case 1...3: record(.setErase(.init(path: path(field, steps), value: member)))
    default: record(.setInsert(.init(path: path(field, steps), value: member)))
    }
  }

  private mutating func changeEmbedded(
    _ value: ModelValue, _ types: [String: ModelType], field: String, _ steps: [Step], size: Int
  ) {
    guard case .object(let fields) = value else {
      return update(field, steps, .objectValue, size: size)
    }
    if size == 0, generator.chance(0.2) {
      update(field, steps, .null, size: 0)
      if generator.chance(0.5) { update(field, steps, .objectValue, size: 0) }
      return
    }
    let name = pick(types.keys.sorted())
    guard let below = fields[name], let type = types[name] else { return }
    change(below, type, field: field, steps + [.key(name)], size: 0)
  }

  private mutating func changeMixed(
    _ value: ModelValue, field: String, _ steps: [Step], size: Int
  ) {
    if keepsKinds { return changeMixedOfOneKind(value, field: field, steps, size: size) }
    if case .list(let items) = value, generator.chance(0.7) {
      return changeList(items, .mixed, field: field, steps)
    }
    if case .dictionary(let entries) = value, generator.chance(0.7) {
      return changeDictionary(entries, .mixed, field: field, steps)
    }
    var isCollection = false
    if case .list = value { isCollection = true }
    if case .dictionary = value { isCollection = true }
    guard steps.count < 3, generator.chance(0.6), !(isElement(steps) && isCollection) else {
      return update(field, steps, scalar(), size: size)
    }
    // A collection that is there already is not emptied by the assignment, so a recorder adds
    // that.
    if generator.chance(0.5) {
      update(field, steps, .list, size: size)
      if case .list = value { clear(field, steps, .list) }
    } else {
      update(field, steps, .dictionary, size: size)
      if case .dictionary = value { clear(field, steps, .dictionary) }
    }
  }

  private mutating func changeMixedOfOneKind(
    _ value: ModelValue, field: String, _ steps: [Step], size: Int
  ) {
    var kind = steps.isEmpty ? Payload.list : .null
    if case .key("key 0") = steps.last { kind = .list }
    if case .key("key 1") = steps.last { kind = .dictionary }
    switch value {
    case .list(let items): changeList(items, .mixed, field: field, steps)
    case .dictionary(let entries): changeDictionary(entries, .mixed, field: field, steps)
    default: update(field, steps, kind == .null ? scalar() : kind, size: size)
    }
  }

  private mutating func changeDictionary(
    _ entries: [String: ModelValue], _ type: ModelType, field: String, _ steps: [Step]
  ) {
    let name = "key \(number(3))"
    switch number(10) {
    case 0: clear(field, steps, .dictionary)
    case 1, 2:
      if keepsKinds, name != "key 2" { break }
      update(field, steps + [.key(name)], .erased, size: 0)
    default: change(entries[name] ?? .null, type, field: field, steps + [.key(name)], size: 0)
    }
  }

  private mutating func changeList(
    _ items: [ModelValue], _ type: ModelType, field: String, _ steps: [Step]
  ) {
    let size = UInt32(items.count)
    let random = number(20)
    guard !items.isEmpty, random >= 8 else {
      let value: Payload =
        switch type {
        case .embedded: .objectValue
        case .text: text()
        default: generator.chance(0.2) ? .list : scalar()
        }
      let path = path(field, steps + [.index(number(items.count + 1))])
      return record(.arrayInsert(.init(path: path, value: value, priorSize: size)))
    }
    let index = number(items.count)
    switch random {
    case 8: clear(field, steps, .list)
    case 9...12:
      record(.arrayErase(.init(path: path(field, steps + [.index(index)]), priorSize: size)))
    case 13...15:
      let target = number(items.count)
      guard case .text = type, target != index else { break }
      record(
        .arrayMove(
          .init(
            path: path(field, steps + [.index(index)]), target: UInt32(target), priorSize: size)))
    default:
      change(items[index], type, field: field, steps + [.index(index)], size: items.count)
    }
  }
}
