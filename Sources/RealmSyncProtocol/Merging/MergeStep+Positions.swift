// SPDX-License-Identifier: Apache-2.0

// List positions and sizes of a step.

extension MergeStep {
  /// The element in which the path ends, if that is a list element.
  var isListElement: Bool {
    if case .index = elements.last { return true }
    return false
  }

  /// The index in which the path ends. Steps that end in none have 0, and take no other one.
  var index: UInt32 {
    get { index(at: elements.count - 1) ?? 0 }
    set { setIndex(newValue, at: elements.count - 1) }
  }

  /// The index that the path has at a position.
  func index(at position: Int) -> UInt32? {
    guard elements.indices.contains(position), case .index(let index) = elements[position] else {
      return nil
    }
    return index
  }

  mutating func setIndex(_ index: UInt32, at position: Int) {
    guard let old = self.index(at: position) else {
      return assertionFailure("the path has no index at \(position)")
    }
    guard old != index else { return }
    elements[position] = .index(index)
    change(instruction)
  }

  /// The size of the list before the step.
  var priorSize: UInt32 {
    get { instruction.priorSize ?? 0 }
    set {
      var copy = instruction
      copy.priorSize = newValue
      change(copy)
    }
  }

  /// The index to which an ArrayMove moves. Other kinds have 0, and take no other one.
  var moveTarget: UInt32 {
    get {
      guard case .arrayMove(let step) = instruction else { return 0 }
      return step.target
    }
    set {
      guard case .arrayMove(var step) = instruction else {
        return assertionFailure("only an ArrayMove has a target")
      }
      guard step.target != newValue else { return }
      step.target = newValue
      change(.arrayMove(step))
    }
  }
}

extension UInt32 {
  func next() throws(RuleError) -> UInt32 {
    guard self < .max else { throw .positionOutOfRange }
    return self + 1
  }

  func previous() throws(RuleError) -> UInt32 {
    guard self > 0 else { throw .positionOutOfRange }
    return self - 1
  }
}
