// SPDX-License-Identifier: Apache-2.0

// Merges two short scripts from both sides and in both orders of time.

import RealmSyncProtocol
import Testing

/// Makes a changeset; the numbers of its strings depend on `offset`.
func changeset(
  _ scripts: [RuleScript], offset: Int = 0, file: UInt64 = 2, time: UInt64 = 1
) -> Changeset {
  var changeset = Changeset(
    origin: ChangesetOrigin(
      file: FileIdentifier(file), timestamp: OriginTimestamp(milliseconds: time)))
  for number in 0..<offset { _ = changeset.intern("unused \(number)") }
  for script in scripts {
    let instruction = script.make(&changeset)
    changeset.append(instruction)
  }
  return changeset
}

/// Expects what becomes of an earlier and of a later changeset, whichever of them is the local
/// one.
func expectMerge(
  earlier: RuleScript..., later: RuleScript..., give earlierAfter: [RuleScript],
  _ laterAfter: [RuleScript], sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let first = changeset(earlier, offset: 1, file: 3, time: 1)
  let second = changeset(later, offset: 2, file: 2, time: 2)
  for usesIndex in [true, false] {
    var transformer = Transformer(usesIndex: usesIndex)
    for isEarlierLocal in [true, false] {
      var local = [isEarlierLocal ? first : second]
      var incoming = [isEarlierLocal ? second : first]
      let before = local.map(\.description) + incoming.map(\.description)
      let outcome = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
      let results = isEarlierLocal ? local + incoming : incoming + local
      #expect(
        results[0].description == changeset(earlierAfter).description,
        sourceLocation: sourceLocation)
      #expect(
        results[1].description == changeset(laterAfter).description,
        sourceLocation: sourceLocation)
      let after = local.map(\.description) + incoming.map(\.description)
      #expect(
        outcome.alteredLocal == (before[0] == after[0] ? [] : [0]), sourceLocation: sourceLocation)
      #expect(
        outcome.alteredIncoming == (before[1] == after[1] ? [] : [0]),
        sourceLocation: sourceLocation)
    }
  }
}

/// Expects what becomes of two changesets, whichever of them is the earlier one.
func expectMergeAtAnyTime(
  _ left: RuleScript..., with right: RuleScript..., give leftAfter: [RuleScript],
  _ rightAfter: [RuleScript], sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for (leftTime, rightTime) in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
    let first = changeset(left, offset: 1, file: 3, time: leftTime)
    let second = changeset(right, offset: 2, file: 2, time: rightTime)
    var transformer = Transformer()
    var sides = ([first], [second])
    _ = try transformer.merge(local: &sides.0, incoming: &sides.1, ownIdent: FileIdentifier(9))
    var exchanged = ([second], [first])
    _ = try transformer.merge(
      local: &exchanged.0, incoming: &exchanged.1, ownIdent: FileIdentifier(9))
    for result in [(sides.0[0], sides.1[0]), (exchanged.1[0], exchanged.0[0])] {
      #expect(
        result.0.description == changeset(leftAfter).description, sourceLocation: sourceLocation)
      #expect(
        result.1.description == changeset(rightAfter).description, sourceLocation: sourceLocation)
    }
  }
}

/// Expects that two instructions do not concern each other.
func expectIndependent(
  _ left: RuleScript, _ right: RuleScript, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectMergeAtAnyTime(
    left, with: right, give: [left], [right], sourceLocation: sourceLocation)
}

/// Expects an error, whichever side is local.
func expectError(
  _ error: MergeError, _ left: RuleScript, _ right: RuleScript,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for (first, second) in [(left, right), (right, left)] {
    #expect(throws: error, sourceLocation: sourceLocation) {
      var local = [changeset([first], offset: 2, file: 2, time: 1)]
      var incoming = [changeset([second], file: 3, time: 2)]
      var transformer = Transformer()
      _ = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
    }
  }
}
