// SPDX-License-Identifier: Apache-2.0

// The instructions of one property's state as a tree: collections with their elements, embedded
// objects with their properties.

import RealmSyncProtocol

/// A value within the state of a property, as `ObjectStateWriter` writes it.
struct PropertyState {
  /// The shape of a value.
  enum Shape: Equatable {
    case value
    case object
    case collection(ChangesetCollectionKind)
  }

  /// The place of a value within the one around it.
  enum Step: Hashable {
    case index
    case key(String)
  }

  struct Part {
    let step: Step
    let state: PropertyState
  }

  /// The instructions of the value, those of its parts included: numbers in the changeset.
  let range: Range<Int>
  /// Those of the value itself, which are the first.
  let head: Range<Int>
  let parts: [Part]
  let shape: Shape
  /// Equal for equal values, whatever their places and changesets.
  let text: String

  /// The state that a changeset of one property has.
  init(_ changeset: Changeset) {
    var position = 0
    self.init(changeset, &position, end: changeset.instructions.count, depth: 0)
  }

  private init(_ changeset: Changeset, _ position: inout Int, end: Int, depth: Int) {
    func count(_ index: Int) -> Int {
      changeset.instructions[index].path.map { Int($0.elements.count) } ?? 0
    }
    func element(_ index: Int) -> PathElement? {
      changeset.instructions[index].path.flatMap { path in
        let elements = changeset.elements(of: path)
        return elements.count > depth ? elements[elements.startIndex + depth] : nil
      }
    }
    let start = position
    while position < end, count(position) == depth { position += 1 }
    head = start..<position
    var parts: [Part] = []
    while position < end, let step = element(position) {
      var next = position
      while next < end, element(next) == step { next += 1 }
      let state = PropertyState(changeset, &position, end: next, depth: depth + 1)
      position = next
      switch step {
      case .index: parts.append(Part(step: .index, state: state))
      case .key(let key): parts.append(Part(step: .key(changeset.text(of: key)), state: state))
      }
    }
    range = start..<position
    self.parts = parts
    (shape, text) = Self.outline(changeset, head, parts)
  }

  /// The part at the end of steps by keys; nil if there is none.
  func part(at steps: some Collection<String>) -> PropertyState? {
    guard let step = steps.first else { return self }
    return parts.first { $0.step == .key(step) }?.state.part(at: steps.dropFirst())
  }

  private static func outline(
    _ changeset: Changeset, _ head: Range<Int>, _ parts: [Part]
  ) -> (Shape, String) {
    var shape = Shape.value
    var texts: [String] = []
    for index in head {
      switch changeset.instructions[index] {
      case .clear(let step):
        shape = .collection(step.collection)
        texts.append("\(step.collection)")
      case .setInsert(let step): texts.append(changeset.line(step.value))
      default:
        guard let value = changeset.instructions[index].payload else { continue }
        if case .objectValue = value { shape = .object }
        // A null before a new object is part of the object's making.
        texts = [changeset.line(value)]
      }
    }
    if case .collection(.set) = shape { texts.sort() }
    var entries = parts.map { part in
      switch part.step {
      case .index: part.state.text
      case .key(let key): "\(key.debugDescription): \(part.state.text)"
      }
    }
    if case .collection(.list) = shape {} else { entries.sort() }
    return (shape, "\(texts)\(entries)")
  }
}
