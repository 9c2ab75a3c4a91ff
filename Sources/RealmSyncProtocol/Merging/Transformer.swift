// SPDX-License-Identifier: Apache-2.0

// Merges concurrent changesets of two peers.

/// Transforms incoming changesets for being applied after local ones, and the local ones as if they
/// came after the incoming: their reciprocals.
///
/// A transformer keeps the memory of a merge for the next one, and nothing else.
///
/// Invariants:
/// 1. Both sides give the same state: incoming after local as they were, and transformed local
///    after incoming as they were.
/// 2. The index has all incoming steps not made by a rule. A rule makes one only if the incoming
///    side erases a class; then no index is used.
package struct Transformer: Sendable {
  /// Whether a local instruction is compared only with incoming candidates. The result is the same.
  package let usesIndex: Bool
  /// The remaining work of merges, in pairs of instructions of one object; a pair of interest to a
  /// rule counts as several. A merge beyond it fails.
  package var workLeft = Int.max

  private var names = MergeNames()
  private var index = InstructionIndex()
  /// The work of a pair of one field, measured in pairs of different fields.
  private static let pairWork = 8

  /// The incoming instructions of all changesets.
  private var steps: [MergeStep] = []
  /// Whether the incoming side erases classes or columns: these steps can meet steps of any object.
  private var isDestructive = false

  package init(usesIndex: Bool = true) { self.usesIndex = usesIndex }

  /// Merges incoming changesets that have the same base with the local ones after that base which
  /// are not the sender's, in the form that the last merge with the sender left (their
  /// reciprocals, where there are any). In origins, `FileIdentifier.own` means `ownIdent`.
  ///
  /// After an error both are as they were.
  package mutating func merge(
    local: inout [Changeset], incoming: inout [Changeset], ownIdent: FileIdentifier
  ) throws(MergeError) -> MergeOutcome {
    // Nothing is concurrent in the usual case.
    guard local.contains(where: { !$0.isEmpty }) else { return MergeOutcome() }
    defer { steps.removeAll(keepingCapacity: true) }
    load(incoming, ownIdent: ownIdent)
    guard !steps.isEmpty else { return MergeOutcome() }
    var altered: [(position: Int, changeset: Changeset)] = []
    var outcome = MergeOutcome()
    for position in local.indices where !local[position].isEmpty {
      let changeset = local[position]
      names.begin(changeset, isAdding: isDestructive)
      if let changeset = try transform(
        changeset, at: position, ownIdent: ownIdent, isTouched: &outcome.isLocalTouched)
      {
        altered.append((position, changeset))
      }
    }
    for (position, changeset) in altered {
      local[position] = changeset
      outcome.alteredLocal.append(position)
    }
    outcome.alteredIncoming = store(in: &incoming)
    return outcome
  }

  /// Makes steps of the incoming instructions.
  private mutating func load(_ incoming: [Changeset], ownIdent: FileIdentifier) {
    names.removeAll()
    isDestructive = false
    for position in incoming.indices where !incoming[position].isEmpty {
      let discriminant = Discriminant(incoming[position].origin, ownIdent: ownIdent)
      names.begin(incoming[position], isAdding: true)
      for instruction in incoming[position].instructions {
        let step = MergeStep(
          instruction, of: incoming[position], at: position, discriminant: discriminant,
          names: &names)
        if step.kind == .eraseTable || step.kind == .eraseColumn { isDestructive = true }
        steps.append(step)
      }
    }
    index.build(steps, objectCount: names.objectCount, isUsed: usesIndex && !isDestructive)
  }

  /// Merges a local changeset with all incoming steps. Returns its new form, if there is one.
  private mutating func transform(
    _ changeset: Changeset, at position: Int, ownIdent: FileIdentifier, isTouched: inout Bool
  ) throws(MergeError) -> Changeset? {
    let discriminant = Discriminant(changeset.origin, ownIdent: ownIdent)
    // Most changesets meet no incoming step, and need none.
    var rewriter: ChangesetRewriter?
    for (number, instruction) in changeset.instructions.enumerated() {
      let candidates = candidates(of: instruction, in: changeset)
      if case .none = candidates { continue }
      if rewriter == nil { rewriter = ChangesetRewriter(changeset) }
      var step = MergeStep(
        instruction, of: changeset, at: position, discriminant: discriminant, names: &names)
      do throws(RuleError) {
        let prepended = try merge(&step, with: candidates)
        rewriter?.replace(number, by: step, prepended: prepended)
      } catch {
        throw error.error(at: conflict(at: instruction, of: changeset))
      }
    }
    guard let rewriter else { return nil }
    if rewriter.isTouched { isTouched = true }
    return rewriter.isAltered ? rewriter.changeset(names: names) : nil
  }

  private mutating func candidates(
    of instruction: Instruction, in changeset: Changeset
  ) -> InstructionIndex.Candidates {
    guard let object = instruction.object else {
      return index.candidates(ofSchema: instruction.tag)
    }
    return index.candidates(ofObject: names.object(object, of: changeset))
  }

  private func conflict(
    at instruction: Instruction, of changeset: Changeset
  ) -> MergeError.Conflict {
    let field: InternedString? =
      switch instruction {
      case .addColumn(let step): step.field
      default: instruction.path?.field
      }
    return MergeError.Conflict(
      table: changeset.text(of: instruction.table), field: field.map(changeset.text(of:)))
  }

  /// Merges a local step with its candidates. Returns the steps put before it by rules.
  private mutating func merge(
    _ step: inout MergeStep, with candidates: InstructionIndex.Candidates
  ) throws(RuleError) -> [MergeStep] {
    switch candidates {
    case .none: break
    case .all: return try merge(&step, from: 0)
    case .schema:
      for position in index.schema where !step.isDiscarded {
        try merge(&step, withStepAt: position)
      }
    case .chain(let first):
      var next: Int? = first
      while let position = next, !step.isDiscarded {
        try merge(&step, withStepAt: position)
        next = index.next(after: position)
      }
    }
    return []
  }

  @inline(__always)
  private mutating func merge(_ step: inout MergeStep, withStepAt position: Int) throws(RuleError) {
    workLeft -= 1
    guard workLeft >= 0 else { throw .tooMuchWork }
    guard !steps[position].isDiscarded else { return }
    // Values of different fields are the usual pair, and none of the rules is about them.
    if step.hasPath, steps[position].hasPath, step.field != steps[position].field { return }
    workLeft -= Self.pairWork - 1
    try MergeRules.merge(&step, &steps[position])
  }

  /// Merges a local step with all incoming ones from a position on, and with them the steps put
  /// before it by rules; returns these. A step put before an incoming one is met by later local
  /// steps only.
  private mutating func merge(
    _ step: inout MergeStep, from start: Int
  ) throws(RuleError) -> [MergeStep] {
    var prepended: [MergeStep] = []
    var position = start
    while position < steps.count, !step.isDiscarded {
      try merge(&step, withStepAt: position)
      if let column = step.prependedColumn {
        step.prependedColumn = nil
        var erasure = MergeStep(erasing: column, before: step)
        // Rule S4 alone prepends, and not before the erasure of a column.
        _ = try merge(&erasure, from: position + 1)
        if !erasure.isDiscarded { prepended.append(erasure) }
      }
      if let column = steps[position].prependedColumn {
        steps[position].prependedColumn = nil
        steps.insert(MergeStep(erasing: column, before: steps[position]), at: position)
        position += 1
      }
      position += 1
    }
    return prepended
  }

  /// Writes the steps back to the changed changesets. Returns their positions.
  private func store(in incoming: inout [Changeset]) -> [Int] {
    var altered: [Int] = []
    var next = 0
    while next < steps.count {
      let position = steps[next].changeset
      var rewriter = ChangesetRewriter(incoming[position])
      var number = 0
      var prepended: [MergeStep] = []
      while next < steps.count, steps[next].changeset == position {
        if steps[next].isPrepended {
          if !steps[next].isDiscarded { prepended.append(steps[next]) }
        } else {
          rewriter.replace(number, by: steps[next], prepended: prepended)
          prepended.removeAll()
          number += 1
        }
        next += 1
      }
      guard rewriter.isAltered else { continue }
      incoming[position] = rewriter.changeset(names: names)
      altered.append(position)
    }
    return altered
  }
}

/// The changesets changed by a merge, by their positions in ascending order.
///
/// An altered local changeset is the new reciprocal for the peer. The bytes of an unaltered
/// incoming changeset can be stored as they came.
package struct MergeOutcome: Hashable, Sendable {
  package var alteredLocal: [Int] = []
  package var alteredIncoming: [Int] = []
  /// Whether an incoming changeset altered a local one, even if later ones took it back. Then the
  /// first of the incoming changesets alone would leave other local ones than all of them.
  package var isLocalTouched: Bool = false
}
