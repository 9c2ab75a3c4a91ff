// SPDX-License-Identifier: Apache-2.0

// Rules S1 to S8: pairs that change the schema.

extension MergeRules {
  /// S1. AddTable × AddTable, same class: kind and key must agree; both are discarded.
  static func addTables(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard case .addTable(let first) = left.instruction,
      case .addTable(let second) = right.instruction, left.table == right.table
    else { return }
    guard first.kind == second.kind, left.field == right.field,
      first.key?.type == second.key?.type, first.key?.isNullable == second.key?.isNullable
    else { throw .tableMismatch }
    left.discard()
    right.discard()
  }

  /// S2. EraseTable × AddTable, same class: AddTable is discarded.
  static func eraseTable(_ erase: MergeStep, addTable add: inout MergeStep) {
    if erase.table == add.table { add.discard() }
  }

  /// S3. EraseTable × EraseTable, same class: both are discarded.
  static func eraseTables(_ left: inout MergeStep, _ right: inout MergeStep) {
    guard left.table == right.table else { return }
    left.discard()
    right.discard()
  }

  /// S4. EraseTable × AddColumn of a link to the class: the side that erases the class erases the
  /// column before; AddColumn is discarded.
  static func eraseTable(_ erase: inout MergeStep, addColumn add: inout MergeStep) {
    guard case .addColumn(let column) = add.instruction, column.linkTarget != nil,
      add.target == erase.table
    else { return }
    erase.prependedColumn = (add.table, add.field)
    add.discard()
  }

  /// S5. AddColumn × AddColumn, same field: the columns must agree; both are discarded.
  static func addColumns(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard case .addColumn(let first) = left.instruction,
      case .addColumn(let second) = right.instruction, isSameColumn(left, right)
    else { return }
    guard first.type == second.type, first.isNullable == second.isNullable,
      first.collection == second.collection, left.target == right.target
    else { throw .columnMismatch }
    left.discard()
    right.discard()
  }

  /// S6. EraseColumn × AddColumn, same field: AddColumn is discarded.
  static func eraseColumn(_ erase: MergeStep, addColumn add: inout MergeStep) {
    if isSameColumn(erase, add) { add.discard() }
  }

  /// S7. EraseColumn × EraseColumn, same field: both are discarded.
  static func eraseColumns(_ left: inout MergeStep, _ right: inout MergeStep) {
    guard isSameColumn(left, right) else { return }
    left.discard()
    right.discard()
  }

  /// S8. EraseColumn × Update, same field: Update is discarded.
  static func eraseColumn(_ erase: MergeStep, update: inout MergeStep) {
    if isSameColumn(erase, update) { update.discard() }
  }

  private static func isSameColumn(_ left: MergeStep, _ right: MergeStep) -> Bool {
    left.table == right.table && left.field == right.field
  }
}
