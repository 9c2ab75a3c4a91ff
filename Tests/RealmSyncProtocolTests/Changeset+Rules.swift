// SPDX-License-Identifier: Apache-2.0

// Whether a changeset is as all code takes it to be.

@testable import RealmSyncProtocol

extension Changeset {
  /// The numbers of its rules that do not hold.
  var brokenRules: Set<Int> {
    var broken: Set<Int> = []
    var taken: Set<Int> = []
    for instruction in instructions {
      if let path = instruction.path {
        guard path.elements.indices.upperBound <= elements.count else {
          broken.insert(2)
          continue
        }
        if !taken.isDisjoint(with: path.elements.indices) { broken.insert(3) }
        taken.formUnion(path.elements.indices)
      }
      if instruction.stringCount(elements: elements) > strings.count { broken.insert(1) }
      switch instruction.payload {
      case .string(let range), .binary(let range):
        if range.indices.upperBound > payloadBytes.count { broken.insert(2) }
      default: break
      }
    }
    return broken
  }
}
