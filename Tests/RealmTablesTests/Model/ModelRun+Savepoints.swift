// SPDX-License-Identifier: Apache-2.0

// Parts of the transactions of a random life, of which some are undone.

@testable import RealmTables

extension ModelRun {
  /// Runs steps in a part of the transaction, which stays or is undone.
  func part(_ group: WriteGroup, depth: Int = 0) throws {
    let before = model
    try group.beginSavepoint()
    for _ in 0..<Int.random(in: 0...10, using: &random) {
      if depth < 3, random.chance(15) { try part(group, depth: depth + 1) } else { try step(group) }
    }
    if random.chance(8) { try bulk(group) }
    guard random.chance(50) else { return group.keepSavepoint() }
    group.rollBackSavepoint()
    model = before
  }
}
