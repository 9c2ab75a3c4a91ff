// SPDX-License-Identifier: Apache-2.0

// The incoming instructions of interest to a local one.

/// The incoming steps of each object, in order, so a local instruction is compared only with
/// possible matches of a rule. Leaving the index out gives the same result.
///
/// Invariants:
/// 1. Steps of objects can only match steps of the same object, unless one side erases classes or
///    columns.
/// 2. Steps for adding classes and columns can only match steps of the schema.
struct InstructionIndex: Sendable {
  /// The incoming steps to compare with a local step.
  enum Candidates {
    case all
    case schema
    /// A chain of the steps of one object, from its first.
    case chain(Int)
    case none
  }

  private static let end: Int32 = -1

  private var isComplete = false
  private var first: [Int32] = []
  private var last: [Int32] = []
  private var following: [Int32] = []
  /// The positions of the steps about the schema.
  private(set) var schema: [Int] = []

  /// Indexes the steps; without `isUsed`, each local step is compared with all.
  mutating func build(_ steps: [MergeStep], objectCount: Int, isUsed: Bool) {
    removeAll()
    isComplete = isUsed && steps.count < Int(Int32.max)
    guard isComplete else { return }
    first.append(contentsOf: repeatElement(Self.end, count: objectCount))
    last.append(contentsOf: repeatElement(Self.end, count: objectCount))
    following.append(contentsOf: repeatElement(Self.end, count: steps.count))
    for position in steps.indices {
      if steps[position].kind.isSchema {
        schema.append(position)
      } else {
        append(position, of: Int(steps[position].object))
      }
    }
  }

  private mutating func append(_ position: Int, of object: Int) {
    if last[object] == Self.end {
      first[object] = Int32(position)
    } else {
      following[Int(last[object])] = Int32(position)
    }
    last[object] = Int32(position)
  }

  private mutating func removeAll() {
    first.removeAll(keepingCapacity: true)
    last.removeAll(keepingCapacity: true)
    following.removeAll(keepingCapacity: true)
    schema.removeAll(keepingCapacity: true)
  }

  /// The candidates of a local step of an object. O(1).
  func candidates(ofObject object: UInt32) -> Candidates {
    guard isComplete else { return .all }
    guard object < first.count, first[Int(object)] != Self.end else { return .none }
    return .chain(Int(first[Int(object)]))
  }

  /// The candidates of a local step about the schema.
  func candidates(ofSchema kind: InstructionTag) -> Candidates {
    switch kind {
    case .addTable, .addColumn: isComplete ? (schema.isEmpty ? .none : .schema) : .all
    default: .all
    }
  }

  /// The next step of an object.
  func next(after position: Int) -> Int? {
    let next = following[position]
    return next == Self.end ? nil : Int(next)
  }
}
