// SPDX-License-Identifier: Apache-2.0

// A version of a life: what it holds, and what the transaction that made it has set.

/// An object of a life.
enum LifeKey: Hashable, Sendable {
  case item(Int)
  case holder(Int)
  case note(Int)
}

/// A version, and by what it differs from the one before.
struct LifeVersion: Sendable {
  private(set) var state = LifeState()
  /// When each object was created: one that was deleted and created again is another one.
  private(set) var births: [LifeKey: Int] = [:]
  /// The properties that the transaction has set, even to the value they had.
  private(set) var touched: [LifeKey: Set<String>] = [:]
  private var birthCount = 0

  /// The version on which a transaction begins.
  func begun() -> LifeVersion {
    var version = self
    version.touched = [:]
    return version
  }

  private mutating func touch(_ key: LifeKey, _ properties: String...) {
    touched[key, default: []].formUnion(properties)
  }

  private mutating func create(_ key: LifeKey) {
    birthCount += 1
    births[key] = birthCount
    touched[key] = nil
  }

  private mutating func remove(_ key: LifeKey) {
    births[key] = nil
    touched[key] = nil
  }

  // MARK: - Edits

  /// Does what `LifeClasses` does to a realm.
  mutating func apply(_ edit: LifeEdit, in age: LifeAge) {
    switch edit {
    case .put(let item, let value, let all): put(item, value, all, age)
    case .delete(let item): delete(item)
    case .deleteKind(let kind): for item in state.ids({ $0.kind == kind }) { delete(item) }
    case .name(let item, let value): set(item, "name", \.name, age.name(value))
    case .level(let item, let value): set(item, "level", \.level, age.level(value))
    case .load(let item, let value):
      if age.hasLoads { set(item, "load", \.load, age.load(value)) }
    case .kind(let item, let value): set(item, "kind", \.kind, value)
    case .holder(let item, let holder):
      if let holder, state.holders[holder] == nil { return }
      set(item, "holder", \.holder, holder)
    case .addHolder(let holder):
      guard state.holders[holder] == nil else { return }
      create(.holder(holder))
      state.holders[holder] = LifeState.Holder()
    case .deleteHolder(let holder): deleteHolder(holder)
    case .note(let item):
      guard age.hasNotes else { return }
      let number = (state.notes.keys.max() ?? -1) + 1
      create(.note(number))
      state.notes[number] = .some(state.items[item] == nil ? nil : item)
    case .dropNote(let place):
      let numbers = state.notes.keys.sorted()
      guard age.hasNotes, !numbers.isEmpty else { return }
      let number = numbers[place % numbers.count]
      state.notes[number] = nil
      remove(.note(number))
    case .refused: break
    default: applyToCollection(edit)
    }
  }

  private mutating func put(_ item: Int, _ value: Int, _ all: Bool, _ age: LifeAge) {
    let kind = value % LifeEdit.kindCount
    if let old = state.items[item] {
      if all || old.name != age.name(value) { set(item, "name", \.name, age.name(value)) }
      if all || old.kind != kind { set(item, "kind", \.kind, kind) }
    } else {
      create(.item(item))
      state.items[item] = LifeState.Item(name: age.name(value), level: age.newLevel, kind: kind)
    }
  }

  private mutating func set<Value>(
    _ item: Int, _ name: String, _ property: WritableKeyPath<LifeState.Item, Value>, _ value: Value
  ) {
    guard state.items[item] != nil else { return }
    state.items[item]?[keyPath: property] = value
    touch(.item(item), name)
  }

  private mutating func delete(_ item: Int) {
    guard state.items[item] != nil else { return }
    state.items[item] = nil
    remove(.item(item))
    for (holder, value) in state.holders where value.items.contains(item) {
      state.holders[holder]?.items.removeAll { $0 == item }
      touch(.holder(holder), "items")
    }
    for (number, linked) in state.notes where linked == item {
      state.notes[number] = .some(nil)
      touch(.note(number), "item")
    }
  }

  private mutating func deleteHolder(_ holder: Int) {
    guard state.holders[holder] != nil else { return }
    state.holders[holder] = nil
    remove(.holder(holder))
    for item in state.ids({ $0.holder == holder }) {
      state.items[item]?.holder = nil
      touch(.item(item), "holder")
    }
  }

  private mutating func applyToCollection(_ edit: LifeEdit) {
    switch edit {
    case .insert(let holder, let item, let place):
      guard let count = state.holders[holder]?.items.count, state.items[item] != nil else { return }
      state.holders[holder]?.items.insert(item, at: place % (count + 1))
      touch(.holder(holder), "items")
    case .remove(let holder, let place):
      guard let count = state.holders[holder]?.items.count, count > 0 else { return }
      state.holders[holder]?.items.remove(at: place % count)
      touch(.holder(holder), "items")
    case .move(let holder, let from, let to):
      guard let count = state.holders[holder]?.items.count, count > 0, from % count != to % count,
        let item = state.holders[holder]?.items.remove(at: from % count)
      else { return }
      state.holders[holder]?.items.insert(item, at: to % count)
      touch(.holder(holder), "items")
    case .number(let holder, let value):
      guard state.holders[holder] != nil else { return }
      state.holders[holder]?.numbers.append(value)
      touch(.holder(holder), "numbers")
    case .dropNumber(let holder, let place):
      guard let count = state.holders[holder]?.numbers.count, count > 0 else { return }
      state.holders[holder]?.numbers.remove(at: place % count)
      touch(.holder(holder), "numbers")
    case .tag(let holder, let value):
      guard state.holders[holder]?.tags.insert("t\(value)").inserted == true else { return }
      touch(.holder(holder), "tags")
    case .untag(let holder, let value):
      guard state.holders[holder]?.tags.remove("t\(value)") != nil else { return }
      touch(.holder(holder), "tags")
    case .mark(let holder, let key, let value):
      guard let marks = state.holders[holder]?.marks, value != nil || marks["k\(key)"] != nil
      else { return }
      state.holders[holder]?.marks["k\(key)"] = value
      touch(.holder(holder), "marks", "k\(key)")
    default: break
    }
  }

  // MARK: - Migrations

  /// Does what the block of `LifeFile` does, and what a migration does by itself.
  mutating func migrate(from old: LifeAge, _ migration: LifeMigration) {
    let new = migration.age
    touched = [:]
    for (id, item) in state.items where old != new {
      var changed = item
      // Nil does not fit into the first two names and the first level.
      let keepsName = migration.copies || (old == .second) == (new == .second)
      changed.name = keepsName ? item.name ?? new.newName : new.newName
      let keepsLevel = migration.copies || (old == .second) == (new == .second)
      changed.level = keepsLevel ? item.level ?? new.newLevel : new.newLevel
      if !new.hasLoads {
        changed.load = nil
      } else if !old.hasLoads {
        changed.load = migration.copies ? Double(item.kind) : nil
      }
      state.items[id] = changed
    }
    if migration.deletes { apply(.deleteKind(LifeMigration.deletedKind), in: new) }
    let added = LifeMigration.addedItem
    if migration.adds, state.items[added] == nil {
      create(.item(added))
      state.items[added] = LifeState.Item(name: new.newName, level: new.newLevel, kind: 1)
    }
    if migration.dropsNotes {
      for number in state.notes.keys { remove(.note(number)) }
      state.notes = [:]
    }
    touched = [:]
  }
}
