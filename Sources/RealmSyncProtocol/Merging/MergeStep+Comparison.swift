// SPDX-License-Identifier: Apache-2.0

// Whether two steps concern the same place.

extension MergeStep {
  /// Whether both change values of the same field of the same object.
  func hasSameField(as other: MergeStep) -> Bool {
    hasPath && other.hasPath && object == other.object && field == other.field
  }

  /// Whether both paths are equal.
  func hasSamePath(as other: MergeStep) -> Bool {
    hasSameField(as: other) && elements == other.elements
  }

  /// Whether both paths end in an element of the same list.
  func hasSameContainer(as other: MergeStep) -> Bool {
    let count = elements.count
    return hasSameField(as: other) && other.elements.count == count
      && isListElement && other.isListElement && beginsLike(other, count: count - 1)
  }

  /// Whether the other path goes on where this one ends.
  func isPrefix(of other: MergeStep) -> Bool {
    hasSameField(as: other) && elements.count < other.elements.count
      && beginsLike(other, count: elements.count)
  }

  /// Whether the other path goes on below an element of the list that has this path's last one.
  func isContainerPrefix(of other: MergeStep) -> Bool {
    hasSameField(as: other) && elements.count < other.elements.count && isListElement
      && beginsLike(other, count: elements.count - 1)
  }

  private func beginsLike(_ other: MergeStep, count: Int) -> Bool {
    for position in 0..<count where elements[position] != other.elements[position] { return false }
    return true
  }

  /// Whether two steps of sets have equal values. Floats, doubles and decimals are equal as
  /// numbers, so NaN equals nothing, as in the peers.
  func hasSameValue(as other: MergeStep) -> Bool {
    guard let value = instruction.payload, let otherValue = other.instruction.payload else {
      return false
    }
    switch (value, otherValue) {
    case (.link, .link): return target == other.target && target != MergeNames.absent
    case (.string, .string), (.binary, .binary): return content == other.content
    case (.decimal(let number), .decimal(let otherNumber)):
      return number.isSameNumber(as: otherNumber)
    default: return value == otherValue
    }
  }
}
