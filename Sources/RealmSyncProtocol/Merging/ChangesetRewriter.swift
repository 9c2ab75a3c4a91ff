// SPDX-License-Identifier: Apache-2.0

// The new form of a changeset after a merge.

/// Collects the instructions of a changeset after a merge: changed, discarded, or with others
/// before them.
struct ChangesetRewriter {
  private struct Edit {
    var number: Int
    var step: MergeStep
    var prepended: [MergeStep]
  }

  private let original: Changeset
  private var edits: [Edit] = []

  init(_ changeset: Changeset) { original = changeset }

  var isAltered: Bool { !edits.isEmpty }

  /// Whether a step was changed, even if its changes took each other back.
  private(set) var isTouched = false

  /// Replaces an instruction, if the step differs from it. Numbers are passed in ascending order.
  @inline(__always)
  mutating func replace(_ number: Int, by step: MergeStep, prepended: [MergeStep]) {
    guard step.isChanged || step.isDiscarded || !prepended.isEmpty else { return }
    isTouched = true
    guard step.isDiscarded || !prepended.isEmpty || !isOriginal(step, number) else { return }
    assert(number > edits.last?.number ?? -1, "instructions are merged in order")
    edits.append(Edit(number: number, step: step, prepended: prepended))
  }

  /// Whether the changes of a step took each other back.
  private func isOriginal(_ step: MergeStep, _ number: Int) -> Bool {
    guard step.instruction == original.instructions[number] else { return false }
    guard let path = step.instruction.path else { return true }
    return zip(original.elements(of: path), step.elements).allSatisfy { before, after in
      if case .index = after { return before == after }
      return true
    }
  }

  /// The new form.
  func changeset(names: MergeNames) -> Changeset {
    var result = original
    var instructions: [Instruction] = []
    instructions.reserveCapacity(original.instructions.count)
    var next = 0
    for edit in edits {
      instructions.append(contentsOf: original.instructions[next..<edit.number])
      for erasure in edit.prepended {
        let column = Instruction.EraseColumn(
          table: names.intern(erasure.table, in: &result),
          field: names.intern(erasure.field, in: &result))
        instructions.append(.eraseColumn(column))
      }
      if !edit.step.isDiscarded {
        instructions.append(edit.step.instruction)
        store(edit.step, in: &result)
      }
      next = edit.number + 1
    }
    instructions.append(contentsOf: original.instructions[next...])
    result.instructions = instructions
    return result
  }

  /// Writes the indices of a step's own path.
  private func store(_ step: MergeStep, in result: inout Changeset) {
    guard let path = step.instruction.path else { return }
    for (place, element) in zip(path.elements.indices, step.elements) {
      if case .index = element { result.elements[place] = element }
    }
  }
}
