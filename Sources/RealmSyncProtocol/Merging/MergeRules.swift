// SPDX-License-Identifier: Apache-2.0

// The rules by which two concurrent instructions change each other.

/// The merge rules. Numbers in comments (N1, V2, L5) are those of the tables in P2 D.3 and P2 D.4.
///
/// The order of the two steps does not matter, except that they are of different sides.
enum MergeRules {
  /// Changes or discards either step, so that each can be applied after the other.
  static func merge(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    if left.depth < right.depth {
      try mergeNested(outer: &left, inner: &right)
    } else if right.depth < left.depth {
      try mergeNested(outer: &right, inner: &left)
    }
    guard !left.isDiscarded, !right.isDiscarded else { return }
    if left.hasPath, right.hasPath {
      try mergeValues(&left, &right)
    } else {
      try mergeStructure(&left, &right)
    }
  }

  /// Pairs of which one at least changes the schema, or the existence of an object.
  private static func mergeStructure(
    _ left: inout MergeStep, _ right: inout MergeStep
  ) throws(RuleError) {
    switch (left.kind, right.kind) {
    case (.addTable, .addTable): try addTables(&left, &right)
    case (.eraseTable, .addTable): eraseTable(left, addTable: &right)
    case (.addTable, .eraseTable): eraseTable(right, addTable: &left)
    case (.eraseTable, .eraseTable): eraseTables(&left, &right)
    case (.eraseTable, .addColumn): eraseTable(&left, addColumn: &right)
    case (.addColumn, .eraseTable): eraseTable(&right, addColumn: &left)
    case (.addColumn, .addColumn): try addColumns(&left, &right)
    case (.eraseColumn, .addColumn): eraseColumn(left, addColumn: &right)
    case (.addColumn, .eraseColumn): eraseColumn(right, addColumn: &left)
    case (.eraseColumn, .eraseColumn): eraseColumns(&left, &right)
    case (.eraseColumn, .update): eraseColumn(left, update: &right)
    case (.update, .eraseColumn): eraseColumn(right, update: &left)
    case (.eraseObject, .createObject): eraseObject(left, createObject: &right)
    case (.createObject, .eraseObject): eraseObject(right, createObject: &left)
    case (.eraseObject, .eraseObject): eraseObjects(&left, &right)
    default: break  // O1 and all unlisted pairs.
    }
  }

  /// Pairs that change values.
  private static func mergeValues(
    _ left: inout MergeStep, _ right: inout MergeStep
  ) throws(RuleError) {
    switch (left.kind, right.kind) {
    case (.update, .update): try updates(&left, &right)
    case (.addInteger, .update): addInteger(&left, update: &right)
    case (.update, .addInteger): addInteger(&right, update: &left)
    case (.clear, .update): clear(&left, update: &right)
    case (.update, .clear): clear(&right, update: &left)
    case (.clear, .addInteger): clear(left, addInteger: &right)
    case (.addInteger, .clear): clear(right, addInteger: &left)
    case (.clear, .clear): clears(&left, &right)
    case (.clear, .setInsert), (.clear, .setErase): clear(left, setChange: &right)
    case (.setInsert, .clear), (.setErase, .clear): clear(right, setChange: &left)
    case (.setInsert, .setInsert), (.setInsert, .setErase), (.setErase, .setInsert),
      (.setErase, .setErase):
      setChanges(&left, &right)
    case (.arrayInsert, .update): try insert(left, update: &right)
    case (.update, .arrayInsert): try insert(right, update: &left)
    case (.arrayMove, .update): try move(left, update: &right)
    case (.update, .arrayMove): try move(right, update: &left)
    case (.arrayErase, .update): try erase(left, update: &right)
    case (.update, .arrayErase): try erase(right, update: &left)
    case (.arrayInsert, .arrayInsert): try inserts(&left, &right)
    case (.arrayMove, .arrayInsert): try move(&left, insert: &right)
    case (.arrayInsert, .arrayMove): try move(&right, insert: &left)
    case (.arrayErase, .arrayInsert): try erase(&left, insert: &right)
    case (.arrayInsert, .arrayErase): try erase(&right, insert: &left)
    case (.arrayMove, .arrayMove): try moves(&left, &right)
    case (.arrayErase, .arrayMove): try erase(&left, move: &right)
    case (.arrayMove, .arrayErase): try erase(&right, move: &left)
    case (.arrayErase, .arrayErase): try erases(&left, &right)
    default: break  // V3 and all unlisted pairs.
    }
  }

  /// Discards the step of the earlier changeset.
  static func discardEarlier(_ left: inout MergeStep, _ right: inout MergeStep) {
    if left.isLater(than: right) { right.discard() } else { left.discard() }
  }
}

// Rules O1 to O3: pairs that create and erase objects. O1, CreateObject × CreateObject, does
// nothing: creating is idempotent.

extension MergeRules {
  /// O2. EraseObject × CreateObject, same object: CreateObject is discarded.
  static func eraseObject(_ erase: MergeStep, createObject create: inout MergeStep) {
    if erase.object == create.object { create.discard() }
  }

  /// O3. EraseObject × EraseObject, same object: the later one stays.
  static func eraseObjects(_ left: inout MergeStep, _ right: inout MergeStep) {
    if left.object == right.object { discardEarlier(&left, &right) }
  }
}
