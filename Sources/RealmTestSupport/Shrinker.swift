// SPDX-License-Identifier: Apache-2.0

// Makes the steps of a failing random run fewer.

/// Searches for fewer steps that still fail.
package struct Shrinker<Step> {
  /// The number of runs that may be made.
  private var runsLeft: Int
  /// Simpler forms of a step.
  private let simpler: (Step) -> [Step]
  private let isRed: ([Step]) async -> Bool

  /// - Parameters:
  ///   - runCountMax: The number of runs after which what was found so far is good enough.
  ///   - simpler: The forms of a step that are tried instead.
  ///   - isRed: Runs steps; whether they fail.
  package init(
    runCountMax: Int = 400, simpler: @escaping (Step) -> [Step] = { _ in [] },
    isRed: @escaping ([Step]) async -> Bool
  ) {
    runsLeft = runCountMax
    self.simpler = simpler
    self.isRed = isRed
  }

  private mutating func fails(_ steps: [Step]) async -> Bool {
    guard runsLeft > 0 else { return false }
    runsLeft -= 1
    return await isRed(steps)
  }

  /// The fewest steps of `steps`, which fail, that were found to fail: leaving out any one of them,
  /// or simplifying it, lets them pass.
  package mutating func smallest(of steps: [Step]) async -> [Step] {
    var steps = steps
    var count: Int
    repeat {
      count = steps.count
      steps = await dropping(from: steps)
    } while steps.count < count && steps.count > 1
    var index = 0
    while index < steps.count {
      if let step = await simplest(at: index, of: steps) {
        steps[index] = step
      } else {
        index += 1
      }
    }
    return steps
  }

  /// Leaves out runs of steps, half of all at first.
  private mutating func dropping(from steps: [Step]) async -> [Step] {
    var steps = steps
    var length = max(1, steps.count / 2)
    while true {
      var start = 0
      while start < steps.count {
        let end = min(steps.count, start + length)
        let fewer = Array(steps[..<start] + steps[end...])
        if await fails(fewer) { steps = fewer } else { start = end }
      }
      if length == 1 { return steps }
      length /= 2
    }
  }

  private mutating func simplest(at index: Int, of steps: [Step]) async -> Step? {
    for step in simpler(steps[index]) {
      var others = steps
      others[index] = step
      if await fails(others) { return step }
    }
    return nil
  }
}
