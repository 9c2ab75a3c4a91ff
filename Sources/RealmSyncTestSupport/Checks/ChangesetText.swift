// SPDX-License-Identifier: Apache-2.0

// Small changesets of tests.

import RealmSyncProtocol

/// Makes changesets about a class `Thing` with a string as primary key.
package enum ChangesetText {
  /// Declares the class.
  package static func schema() -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (thing, id) = (encoder.intern("Thing"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(
          table: thing, kind: .topLevel,
          key: .init(field: id, type: .string, isNullable: false))))
    let (count, list) = (encoder.intern("count"), encoder.intern("list"))
    encoder.append(
      .addColumn(
        .init(table: thing, field: count, type: .int, isNullable: false, collection: .single)))
    encoder.append(
      .addColumn(
        .init(table: thing, field: list, type: .int, isNullable: false, collection: .list)))
    return encoder.bytes
  }

  /// Makes an object.
  package static func create(_ key: String, count: Int64? = nil) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let thing = encoder.intern("Thing")
    let object = ObjectReference(table: thing, key: .string(encoder.intern(key)))
    encoder.append(.createObject(object))
    if let count {
      let field = encoder.intern("count")
      encoder.append(
        .update(
          .init(
            path: InstructionPath(table: thing, key: object.key, field: field), value: .int(count))
        ))
    }
    return encoder.bytes
  }

  /// Sets the number of an object.
  package static func set(_ key: String, count: Int64) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (thing, name) = (encoder.intern("Thing"), encoder.intern(key))
    let path = InstructionPath(
      table: thing, key: .string(name), field: encoder.intern("count"))
    encoder.append(.update(.init(path: path, value: .int(count))))
    return encoder.bytes
  }

  /// Erases an object.
  package static func erase(_ key: String) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let thing = encoder.intern("Thing")
    encoder.append(.eraseObject(.init(table: thing, key: .string(encoder.intern(key)))))
    return encoder.bytes
  }

  /// Inserts into a list at its beginning.
  package static func insert(_ key: String, _ value: Int64, priorSize: UInt32) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (thing, name) = (encoder.intern("Thing"), encoder.intern(key))
    let field = encoder.intern("list")
    let path = InstructionPath(
      table: thing, key: .string(name), field: field,
      elements: encoder.addElements([PathElement.index(0)]))
    encoder.append(.arrayInsert(.init(path: path, value: .int(value), priorSize: priorSize)))
    return encoder.bytes
  }

  /// Erases the class.
  package static func eraseTable() -> [UInt8] {
    var encoder = ChangesetEncoder()
    encoder.append(.eraseTable(encoder.intern("Thing")))
    return encoder.bytes
  }
}
