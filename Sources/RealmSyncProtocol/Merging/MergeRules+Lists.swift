// SPDX-License-Identifier: Apache-2.0

// Rules L1 to L9: pairs about elements of the same list.

extension MergeRules {
  /// L1. ArrayInsert × Update: the updated element moves up if it is not before the inserted one.
  static func insert(_ insert: MergeStep, update: inout MergeStep) throws(RuleError) {
    guard try isSameList(insert, update) else { return }
    update.priorSize = try update.priorSize.next()
    if update.index >= insert.index { update.index = try update.index.next() }
  }

  /// L2. ArrayMove × Update: the update follows its element. Their sizes may differ, see L5.
  static func move(_ move: MergeStep, update: inout MergeStep) throws(RuleError) {
    guard move.hasSameContainer(as: update) else { return }
    update.index = try follow(update.index, from: move.index, to: move.moveTarget)
  }

  /// L3. ArrayErase × Update: an update of the erased element is discarded, one of an element
  /// after it moves down.
  static func erase(_ erase: MergeStep, update: inout MergeStep) throws(RuleError) {
    guard try isSameList(erase, update) else { return }
    update.priorSize = try update.priorSize.previous()
    if update.index == erase.index {
      update.discard()
    } else if update.index > erase.index {
      update.index = try update.index.previous()
    }
  }

  /// L4. ArrayInsert × ArrayInsert: at the same index the earlier element comes first.
  static func inserts(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard try isSameList(left, right) else { return }
    left.priorSize = try left.priorSize.next()
    right.priorSize = try right.priorSize.next()
    let isRightFirst =
      left.index == right.index ? left.isLater(than: right) : left.index > right.index
    if isRightFirst {
      left.index = try left.index.next()
    } else {
      right.index = try right.index.next()
    }
  }

  /// L5. ArrayMove × ArrayInsert: at the same index the later element comes first. The second
  /// comparison uses the index as the first one changed it, on purpose.
  ///
  /// Their sizes are not compared, as in the peers: rule N6 changes a move and leaves the steps
  /// below it, possibly of another list.
  static func move(_ move: inout MergeStep, insert: inout MergeStep) throws(RuleError) {
    guard move.hasSameContainer(as: insert) else { return }
    move.priorSize = try move.priorSize.next()
    if insert.index > move.index {
      insert.index = try insert.index.previous()
    } else {
      move.index = try move.index.next()
    }
    let isInsertedFirst =
      insert.index == move.moveTarget
      ? !move.isLater(than: insert) : insert.index < move.moveTarget
    if isInsertedFirst {
      move.moveTarget = try move.moveTarget.next()
    } else {
      insert.index = try insert.index.next()
    }
  }

  /// L6. ArrayErase × ArrayInsert: the inserted element stays where it was meant to be.
  static func erase(_ erase: inout MergeStep, insert: inout MergeStep) throws(RuleError) {
    guard try isSameList(erase, insert) else { return }
    erase.priorSize = try erase.priorSize.next()
    insert.priorSize = try insert.priorSize.previous()
    if insert.index <= erase.index {
      erase.index = try erase.index.next()
    } else {
      insert.index = try insert.index.previous()
    }
  }

  /// L7. ArrayMove × ArrayMove: of two moves of the same element the later one wins.
  static func moves(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard try isSameList(left, right) else { return }
    if left.index == right.index {
      if left.isLater(than: right) {
        win(&left, over: &right)
      } else {
        win(&right, over: &left)
      }
      return
    }
    if left.index < right.index {
      right.index = try right.index.previous()
    } else {
      left.index = try left.index.previous()
    }
    if left.moveTarget > right.index {
      left.moveTarget = try left.moveTarget.previous()
    } else {
      right.index = try right.index.next()
    }
    if left.index < right.moveTarget {
      right.moveTarget = try right.moveTarget.previous()
    } else {
      left.index = try left.index.next()
    }
    let isLeftFirst =
      left.moveTarget == right.moveTarget
      ? !left.isLater(than: right) : left.moveTarget < right.moveTarget
    if isLeftFirst {
      right.moveTarget = try right.moveTarget.next()
    } else {
      left.moveTarget = try left.moveTarget.next()
    }
    if left.index == left.moveTarget { left.discard() }
    if right.index == right.moveTarget { right.discard() }
  }

  private static func win(_ winner: inout MergeStep, over loser: inout MergeStep) {
    winner.index = loser.moveTarget
    loser.discard()
    if winner.index == winner.moveTarget { winner.discard() }
  }

  /// L8. ArrayErase × ArrayMove: the erasure follows a moved element, whose move is discarded.
  static func erase(_ erase: inout MergeStep, move: inout MergeStep) throws(RuleError) {
    guard try isSameList(erase, move) else { return }
    move.priorSize = try move.priorSize.previous()
    if erase.index == move.index {
      erase.index = move.moveTarget
      move.discard()
      return
    }
    if erase.index > move.index {
      erase.index = try erase.index.previous()
    } else {
      move.index = try move.index.previous()
    }
    if erase.index >= move.moveTarget {
      erase.index = try erase.index.next()
    } else {
      move.moveTarget = try move.moveTarget.previous()
    }
    if move.index == move.moveTarget { move.discard() }
  }

  /// L9. ArrayErase × ArrayErase: of two erasures of the same element none is left to do.
  static func erases(_ left: inout MergeStep, _ right: inout MergeStep) throws(RuleError) {
    guard try isSameList(left, right) else { return }
    left.priorSize = try left.priorSize.previous()
    right.priorSize = try right.priorSize.previous()
    if left.index == right.index {
      left.discard()
      right.discard()
    } else if left.index > right.index {
      left.index = try left.index.previous()
    } else {
      right.index = try right.index.previous()
    }
  }

  /// The index of an element after the move of another, or of itself.
  static func follow(_ index: UInt32, from: UInt32, to target: UInt32) throws(RuleError) -> UInt32 {
    guard index != from else { return target }
    let closed = index > from ? index - 1 : index
    return closed >= target ? try closed.next() : closed
  }

  /// Whether both change elements of the same list, about whose size they must agree.
  private static func isSameList(_ left: MergeStep, _ right: MergeStep) throws(RuleError) -> Bool {
    guard left.hasSameContainer(as: right) else { return false }
    guard left.priorSize == right.priorSize else {
      throw .sizeMismatch(of: left, right)
    }
    return true
  }
}
