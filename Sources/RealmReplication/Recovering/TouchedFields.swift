// SPDX-License-Identifier: Apache-2.0

// What own changes touch of objects that are seeded on a fresh copy (`ContentAdoption`).
//
// 1. A field is assigned once: by the last change that touches it.
// 2. Fields with increments alone are not assigned. Their seed lacks the sum of the increments.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The properties of seeded objects that own changes touch.
struct TouchedFields {
  /// A property of an object of the file.
  struct Field {
    let table: TableKey
    let object: ObjectKey
    let column: Column
    fileprivate(set) var lastChange: Int
    /// The increments, if there is nothing else.
    fileprivate var increments: Increments?
  }

  fileprivate struct Increments {
    var sum: Int64
    /// One of them: its change, and its place there.
    let change: Int
    let place: Int
  }

  private struct FieldKey: Hashable {
    let object: ListAddress
    let field: String
  }

  private enum Finding {
    case seeded(ObjectKey, TableSchema)
    case other
  }

  private var objects: [ListAddress: Finding] = [:]
  private var indices: [FieldKey: Int] = [:]
  private var fields: [Field] = []

  /// Whether it is known if an object is seeded.
  func knows(_ object: ListAddress) -> Bool { objects[object] != nil }

  /// Notes whether an object is seeded.
  mutating func note(_ object: ListAddress, _ found: (ObjectKey, TableSchema)?) {
    objects[object] = found.map { .seeded($0.0, $0.1) } ?? .other
  }

  /// Notes an instruction about an object.
  mutating func note(
    _ instruction: Instruction, _ object: ListAddress, at place: Int, of change: Int,
    _ changeset: Changeset
  ) {
    guard case .seeded(let key, let schema)? = objects[object], let path = instruction.path else {
      return
    }
    let name = changeset.text(of: path.field)
    let amount = Self.increment(instruction)
    if let index = indices[FieldKey(object: object, field: name)] {
      fields[index].lastChange = change
      if let amount {
        fields[index].increments?.sum &+= amount
      } else {
        fields[index].increments = nil
      }
      return
    }
    guard let column = schema.column(named: name) else { return }
    indices[FieldKey(object: object, field: name)] = fields.count
    fields.append(
      Field(
        table: schema.key, object: key, column: column, lastChange: change,
        increments: amount.map { Increments(sum: $0, change: change, place: place) }))
  }

  /// The amount of an increment of a property.
  private static func increment(_ instruction: Instruction) -> Int64? {
    guard case .addInteger(let step) = instruction, step.path.elements.isEmpty else { return nil }
    return step.amount
  }

  /// The fields to be assigned in place of a change.
  func fields(assignedBy change: Int) -> [Field] {
    fields.filter { $0.lastChange == change && $0.increments == nil }
  }

  /// A change without what is assigned in its place, or seeded.
  func unseededPart(of changeset: Changeset) -> Changeset {
    var result = changeset
    result.instructions.removeAll { instruction in
      guard let reference = instruction.object else { return false }
      let object = ListAddress(reference, of: changeset)
      guard case .seeded? = objects[object] else { return false }
      guard let path = instruction.path else { return true }
      let key = FieldKey(object: object, field: changeset.text(of: path.field))
      return indices[key].flatMap { fields[$0].increments } == nil
    }
    return result
  }

  /// What takes the increments that are made again off the seeds.
  func withoutIncrements(_ changes: [Changeset]) -> [UInt8] {
    var result = Changeset()
    for field in fields {
      guard let increments = field.increments, increments.sum != 0,
        case .addInteger(var step) = result.adopt(
          changes[increments.change].instructions[increments.place],
          of: changes[increments.change])
      else { continue }
      step.amount = 0 &- increments.sum
      result.append(.addInteger(step))
    }
    return ChangesetEncoder.encode(result)
  }
}
