// SPDX-License-Identifier: Apache-2.0

// Values that are linked, embedded or in collections: assigned, inserted and erased.

import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

extension InstructionApplier {
  /// Assigns a value that is no plain one of a property of a top-level object.
  @inline(never)
  mutating func updateAnywhere(_ step: Instruction.Update) throws(ApplyProblem) {
    let place = try place(step.path)
    switch step.value {
    case .erased: try walking(place.eraseEntry())
    case .objectValue:
      try walking(place.createEmbedded(isDefault: step.isDefault))
    case .list:
      try walking(place.makeCollection(.list, isDefault: step.isDefault))
    case .dictionary:
      try walking(place.makeCollection(.dictionary, isDefault: step.isDefault))
    case .link(let table, let key):
      guard let value = try link(to: table, key, from: place) else {
        // Recovering: a nullable value becomes null.
        if case .element = place.end { throw .badValue("a link to a missing object") }
        return try walking(place.set(.null, isDefault: step.isDefault))
      }
      try walking(place.set(value, isDefault: step.isDefault))
    default:
      guard let value = scalar(step.value) else { throw badValue(step.value) }
      try walking(place.set(value, isDefault: step.isDefault))
    }
  }

  mutating func insert(_ step: Instruction.ArrayInsert) throws(ApplyProblem) {
    let place = try place(step.path)
    let size = Int(step.priorSize)
    switch step.value {
    case .objectValue:
      try walking(place.insertEmbedded(priorSize: size))
    case .list:
      try walking(place.insertCollection(.list, priorSize: size))
    case .dictionary:
      try walking(place.insertCollection(.dictionary, priorSize: size))
    default:
      let value = try value(step.value, at: place)
      try walking(place.insert(value, priorSize: size))
    }
  }

  mutating func clear(_ step: Instruction.Clear) throws(ApplyProblem) {
    let place = try place(step.path)
    let kind = step.collection.stored
    // The assignment of the value may have lost against an Erased, and the Erased against the
    // Clear.
    if case .entry = place.end, kind == .list || kind == .dictionary,
      try walking(place.outline()) == nil
    {
      return try walking(place.makeCollection(kind))
    }
    try walking(place.clear(kind))
  }

  mutating func insertMember(_ step: Instruction.SetChange) throws(ApplyProblem) {
    let place = try place(step.path)
    let value = try value(step.value, at: place)
    try walking(place.insertMember(value))
  }

  mutating func eraseMember(_ step: Instruction.SetChange) throws(ApplyProblem) {
    let place = try place(step.path)
    let value = try value(step.value, at: place)
    try walking(place.eraseMember(value))
  }

  // MARK: Places

  mutating func place(_ path: InstructionPath) throws(ApplyProblem) -> ValuePlace {
    let table = try table(path.table)
    guard let object = try find(path.table, path.key) else {
      throw .path(.missingObject(table: changeset.text(of: path.table)))
    }
    guard path.elements.count <= PathLimit.stepCountMax else { throw .pathTooLong }
    let steps = changeset.elements(of: path).map { (step) -> PathStep in
      switch step {
      case .index(let index): .index(Int(index))
      case .key(let key): .key(changeset.text(of: key))
      }
    }
    let field = changeset.text(of: path.field)
    return try walking(table.place(of: object, field, steps))
  }

  // MARK: Values

  /// A possible element: a scalar, null or a link.
  private mutating func value(
    _ payload: Payload, at place: ValuePlace
  ) throws(ApplyProblem) -> TableValue {
    if case .link(let table, let key) = payload {
      guard let value = try link(to: table, key, from: place) else {
        throw .badValue("a link to a missing object")
      }
      return value
    }
    guard let value = scalar(payload) else { throw badValue(payload) }
    return value
  }

  /// A link for a place; nil if its target is missing and such links are dropped.
  private mutating func link(
    to name: InternedString, _ key: PrimaryKey, from place: ValuePlace
  ) throws(ApplyProblem) -> TableValue? {
    let table = try table(name)
    switch place.column.type {
    case .link where place.column.targetTable == table.key:
      return try linkTarget(name, key).map { .link($0) }
    case .mixed: return try linkTarget(name, key).map { .typedLink(table.key, $0) }
    default: throw .path(.wrongType(field: place.column.name))
    }
  }

  private func badValue(_ payload: Payload) -> ApplyProblem { .badValue("\(payload.type)") }
}
