// SPDX-License-Identifier: Apache-2.0

// Rules N1 to N9: a step whose path is shorter, and one that may lie below it.

extension MergeRules {
  /// Changes or discards the inner step. Destroying or overwriting what the inner step changes
  /// wins, whatever the order of time.
  static func mergeNested(outer: inout MergeStep, inner: inout MergeStep) throws(RuleError) {
    switch outer.instruction {
    case .eraseTable:  // N1
      if outer.table == inner.table { inner.discard() }
    case .eraseObject:  // N2
      if inner.hasPath, outer.object == inner.object { inner.discard() }
    case .update(let update):  // N3
      if outer.isPrefix(of: inner), !keeps(update.value, inner.elements[outer.elements.count]) {
        inner.discard()
      }
    case .addInteger, .clear:  // N4, N8
      if outer.isPrefix(of: inner) { inner.discard() }
    case .arrayInsert:  // N5
      guard let index = innerIndex(outer, inner), index >= outer.index else { return }
      inner.setIndex(try index.next(), at: outer.elements.count - 1)
    case .arrayMove:  // N6
      guard let index = innerIndex(outer, inner) else { return }
      try moveNested(&outer, innerIndex: index)
    case .arrayErase:  // N7
      guard let index = innerIndex(outer, inner) else { return }
      if index == outer.index {
        inner.discard()
      } else if index > outer.index {
        inner.setIndex(try index.previous(), at: outer.elements.count - 1)
      }
    default: break  // N9
    }
  }

  /// Whether assigning a value leaves alone what lies below it: an object value is created only
  /// where there is none, and a collection is made only where there is none of its kind.
  private static func keeps(_ value: Payload, _ next: PathElement) -> Bool {
    switch (value, next) {
    case (.objectValue, _), (.list, .index), (.dictionary, .key): true
    default: false
    }
  }

  /// The index that the inner path has where the outer one ends, if both go through one list.
  private static func innerIndex(_ outer: MergeStep, _ inner: MergeStep) -> UInt32? {
    guard outer.isContainerPrefix(of: inner) else { return nil }
    return inner.index(at: outer.elements.count - 1)
  }

  /// N6. The peers change the index of the move, and not that of the inner path. It diverges, and
  /// stays because all peers have to do the same; a protocol above version 15 may change it here.
  static func moveNested(_ move: inout MergeStep, innerIndex: UInt32) throws(RuleError) {
    move.index = try follow(move.index, from: innerIndex, to: move.moveTarget)
  }
}
