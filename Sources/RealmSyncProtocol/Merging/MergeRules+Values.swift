// SPDX-License-Identifier: Apache-2.0

// Rules V1 to V8: pairs with the same path. V3, AddInteger × AddInteger, does nothing: sums do not
// depend on the order.

extension MergeRules {
  /// V1. Update × Update: an object value yields to another type, and of two none is made again,
  /// as each side has one; both stay if both make the same collection; a default yields to a value
  /// that is none; else the earlier one is discarded.
  static func updates(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard left.hasSamePath(as: right), case .update(let first) = left.instruction,
      case .update(let second) = right.instruction
    else { return }
    if left.isListElement, first.priorSize != second.priorSize {
      throw .sizeMismatch(of: left, right)
    }
    switch (first.value, second.value) {
    case (.list, .list), (.dictionary, .dictionary): break
    case (.objectValue, .objectValue):
      // Under a key of a dictionary it would be a new object, without what this side has in its
      // own.
      left.discard()
      right.discard()
    case (.objectValue, _): left.discard()
    case (_, .objectValue): right.discard()
    default: discardDefaultOrEarlier(&left, &right, first, second)
    }
  }

  private static func discardDefaultOrEarlier(
    _ left: inout MergeStep, _ right: inout MergeStep, _ first: Instruction.Update,
    _ second: Instruction.Update
  ) {
    if first.isDefault == second.isDefault {
      discardEarlier(&left, &right)
    } else if first.isDefault {
      left.discard()
    } else {
      right.discard()
    }
  }

  /// V2. AddInteger × Update: a sum that is later, or meets a default, is added to the integer that
  /// is assigned, and lost on a value of another type. An earlier sum is lost.
  static func addInteger(_ add: inout MergeStep, update: inout MergeStep) {
    guard add.hasSamePath(as: update), case .addInteger(let sum) = add.instruction,
      case .update(var assignment) = update.instruction
    else { return }
    guard add.isLater(than: update) || assignment.isDefault else { return add.discard() }
    switch assignment.value {
    case .null: break
    case .int(let number):
      assignment.value = .int(number &+ sum.amount)
      update.change(.update(assignment))
    default: add.discard()
    }
  }

  /// V4. Clear × Update: both stay if both make the same collection; else the earlier one is
  /// discarded.
  static func clear(_ clear: inout MergeStep, update: inout MergeStep) {
    guard clear.hasSamePath(as: update), case .clear(let emptied) = clear.instruction,
      case .update(let assignment) = update.instruction
    else { return }
    switch (emptied.collection, assignment.value) {
    case (.list, .list), (.dictionary, .dictionary): break
    default: discardEarlier(&clear, &update)
    }
  }

  /// V5. Clear × AddInteger: the sum is discarded.
  static func clear(_ clear: MergeStep, addInteger add: inout MergeStep) {
    if clear.hasSamePath(as: add) { add.discard() }
  }

  /// V6. Clear × Clear: the earlier one is discarded.
  static func clears(_ left: inout MergeStep, _ right: inout MergeStep) {
    if left.hasSamePath(as: right) { discardEarlier(&left, &right) }
  }

  /// V7. SetInsert or SetErase × Clear: the change of one value is discarded.
  static func clear(_ clear: MergeStep, setChange change: inout MergeStep) {
    if clear.hasSamePath(as: change) { change.discard() }
  }

  /// V8. SetInsert or SetErase × SetInsert or SetErase, equal value: the earlier one is discarded.
  static func setChanges(_ left: inout MergeStep, _ right: inout MergeStep) {
    if left.hasSamePath(as: right), left.hasSameValue(as: right) { discardEarlier(&left, &right) }
  }
}
