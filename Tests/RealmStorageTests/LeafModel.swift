// SPDX-License-Identifier: Apache-2.0

// Trying a leaf type against an array.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

/// Applies random edits to a leaf and to an array, and compares them after each.
///
/// - Parameters:
///   - random: makes a value of the model.
///   - toLeaf: stores a model value by calling its second argument with the leaf's form of it.
///   - toModel: copies a value out of the leaf.
func expectLeaf<L: Leaf, Model: Equatable>(
  _ type: L.Type, seed: UInt64, steps: Int, limit: Int = 300,
  random makeValue: (inout SeededGenerator, _ step: Int) -> Model,
  toLeaf: (Model, (L.Value) throws -> Ref) throws -> Ref,
  toModel: (L.Value) -> Model,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var random = SeededGenerator(seed: seed)
  let scratch = try ScratchSpace()
  let allocator = scratch.allocator
  var model: [Model] = []
  var ref = try L.make(in: allocator)
  for step in 0..<steps {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10 where model.count < limit:
      let value = makeValue(&random, step)
      let index =
        Bool.random(using: &random) ? model.count : .random(in: 0...model.count, using: &random)
      ref = try toLeaf(value) { try L.insert($0, at: index, in: ref, allocator) }
      model.insert(value, at: index)
    case 10..<14 where !model.isEmpty:
      let value = makeValue(&random, step)
      let index = Int.random(in: 0..<model.count, using: &random)
      ref = try toLeaf(value) { try L.set($0, at: index, in: ref, allocator) }
      model[index] = value
    case 14..<18 where !model.isEmpty:
      let index = Int.random(in: 0..<model.count, using: &random)
      ref = try L.remove(at: index, from: ref, allocator)
      model.remove(at: index)
    case 18:
      // Cut and put together again: the leaf is as before, in whatever form.
      let index = Int.random(in: 0...model.count, using: &random)
      let (left, right) = try L.split(ref, at: index, allocator)
      #expect(try L.count(left, in: scratch.space) == index, sourceLocation: sourceLocation)
      try L.validate(right, in: scratch.space)
      ref = try L.append(right, to: left, allocator)
    case 19 where step % 7 == 0:
      try allocator.freeTree(ref)
      ref = try L.make(in: allocator)
      model = []
    default: break
    }
    try L.validate(ref, in: scratch.space)
    let found = try (0..<L.count(ref, in: scratch.space)).map {
      toModel(try L.value(at: $0, of: ref, in: scratch.space))
    }
    #expect(found == model, "seed \(seed), step \(step)", sourceLocation: sourceLocation)
    if found != model { return }
  }
  #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
    try L.value(at: model.count, of: ref, in: scratch.space)
  }
  #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
    try L.value(at: -1, of: ref, in: scratch.space)
  }
  #expect(allocator.freedBlocks.isEmpty, sourceLocation: sourceLocation)
}

/// An integer of a random magnitude, small ones for the first half of a run.
func randomInteger(_ random: inout SeededGenerator, bits: Int = 64) -> Int64 {
  Int64.random(in: .min ... .max, using: &random)
    >> Int64.random(in: Int64(64 - bits)...63, using: &random)
}
