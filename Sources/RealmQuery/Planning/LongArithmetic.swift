// SPDX-License-Identifier: Apache-2.0

// Arithmetic of many operators, which is evaluated in a loop: a recursion over as many operators as
// a condition may have takes more than a small stack.

import RealmStorage
import RealmTables

/// Operators over the values of readers, in the order in which they are applied.
struct LongArithmetic {
  /// Computations of so many operators are evaluated recursively, which allocates nothing.
  static let recursiveCountMax = 8

  enum Step {
    /// The next operand's value.
    case operand
    case apply(ArithmeticOperator)
  }

  private let operands: [ValueReader]
  private let steps: [Step]

  /// - Parameter reader: The values of what is no computation.
  init(
    _ root: BoundOperand, _ reader: (BoundOperand) throws(QueryError) -> ValueReader
  ) throws(QueryError) {
    var operands: [ValueReader] = []
    var steps: [Step] = []
    // An operator waits until both of its sides are done.
    enum Task {
      case visit(BoundOperand)
      case apply(ArithmeticOperator)
    }
    var tasks = [Task.visit(root)]
    while let task = tasks.popLast() {
      switch task {
      case .visit(.arithmetic(let operation, let left, let right)):
        tasks += [.apply(operation), .visit(right), .visit(left)]
      case .visit(let operand):
        operands.append(try reader(operand))
        steps.append(.operand)
      case .apply(let operation): steps.append(.apply(operation))
      }
    }
    assert(steps.count == 2 * operands.count - 1, "each operator has two sides")
    self.operands = operands
    self.steps = steps
  }

  /// Whether `body` is true for a result. Where operands have several values there is one for each
  /// combination.
  func contains(
    in row: Row, _ plan: QueryPlan, _ body: (MixedValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    var choices: [[MixedValue]] = []
    choices.reserveCapacity(operands.count)
    for operand in operands {
      var values: [MixedValue] = []
      _ = try operand.contains(in: row, plan) { value in
        values.append(value)
        return false
      }
      if values.isEmpty { return false }
      choices.append(values)
    }
    var positions = [Int](repeating: 0, count: choices.count)
    var stack: [MixedValue] = []
    while true {
      if try body(result(choices, positions, &stack)) { return true }
      // The next combination: the last operand's values change first.
      var place = positions.count - 1
      while place >= 0, positions[place] == choices[place].count - 1 {
        positions[place] = 0
        place -= 1
      }
      if place < 0 { return false }
      positions[place] += 1
    }
  }

  private func result(
    _ choices: [[MixedValue]], _ positions: [Int], _ stack: inout [MixedValue]
  ) -> MixedValue {
    stack.removeAll(keepingCapacity: true)
    var next = 0
    for step in steps {
      switch step {
      case .operand:
        stack.append(choices[next][positions[next]])
        next += 1
      case .apply(let operation):
        let right = stack.removeLast()
        stack[stack.count - 1] = operation.apply(stack[stack.count - 1], right)
      }
    }
    assert(stack.count == 1 && next == choices.count, "each operand is used once")
    return stack[0]
  }
}

extension BoundOperand {
  /// Whether this is a computation of more operators than are evaluated recursively.
  var isLongArithmetic: Bool {
    var count = 0
    var waiting = [self]
    while let operand = waiting.popLast() {
      guard case .arithmetic(_, let left, let right) = operand else { continue }
      count += 1
      if count > LongArithmetic.recursiveCountMax { return true }
      waiting += [left, right]
    }
    return false
  }
}
