// SPDX-License-Identifier: Apache-2.0

// What goes wrong in a storm, and when.

#if Server
import Foundation

/// The plan of a storm: the seed and the options alone decide what is in it.
struct Plan {
  enum Action: Hashable {
    case network(NetworkFault)
    case killServer(downMilliseconds: Int)
    case killDevice(Int, downMilliseconds: Int)
    case rules(StormRules)
    case customData(device: Int, isEditor: Bool)
    case backup
    case restore
  }

  struct Step: CustomStringConvertible {
    /// In seconds from the begin.
    let time: Double
    let action: Action

    var description: String { String(format: "%8.3f s  ", time) + "\(action)" }
  }

  let seed: UInt64
  let steps: [Step]

  init(_ options: StormOptions, seed: UInt64) {
    self.seed = seed
    var random = StormGenerator(seed: seed)
    var steps: [Step] = []
    func time(after earliest: Double = 0) -> Double {
      Double.random(in: earliest..<Double(options.seconds), using: &random)
    }
    func device() -> Int { Int.random(in: 0..<options.devices, using: &random) }
    for _ in 0..<options.kills {
      let down = Int.random(in: 0...1_000, using: &random)
      let action: Action =
        Int.random(in: 0..<3, using: &random) == 0
        ? .killServer(downMilliseconds: down) : .killDevice(device(), downMilliseconds: down)
      steps.append(Step(time: time(), action: action))
    }
    for _ in 0..<options.faults {
      steps.append(Step(time: time(), action: .network(.random(using: &random))))
    }
    for _ in 0..<options.ruleChanges {
      let rules = StormRules.allCases[Int.random(in: 0..<3, using: &random)]
      let isEditor = Bool.random(using: &random)
      let action: Action =
        Bool.random(using: &random)
        ? .rules(rules) : .customData(device: device(), isEditor: isEditor)
      steps.append(Step(time: time(), action: action))
    }
    for _ in 0..<options.restores {
      let backup = time()
      steps.append(Step(time: backup, action: .backup))
      steps.append(Step(time: time(after: backup), action: .restore))
    }
    // Steps of the same time keep their order.
    self.steps = steps.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    .map(\.element)
  }
}
#endif
