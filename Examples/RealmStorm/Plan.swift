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
    /// How far the clock is from that of the machine from now on.
    case deviceClock(Int, hours: Int)
    case serverClock(hours: Int)
    case node(NodeFault)

    /// Whether it comes at a time when devices send something.
    var isKill: Bool {
      switch self {
      case .killServer: true
      case .node(let fault): fault.isKill
      default: false
      }
    }
  }

  /// How far clocks are wrong, in hours: each once in as many jumps.
  private static let clockErrors = [
    0, 1, -1, 24, -24, 24 * 90, -24 * 90, 24 * 365, -24 * 365,
  ]

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
    let hasNodes = options.nodes > 0
    // It draws by itself.
    var nodes = NodePlan(options, StormGenerator(seed: ~seed))
    func time(after earliest: Double = 0) -> Double {
      Double.random(in: earliest..<Double(options.seconds), using: &random)
    }
    func device() -> Int { Int.random(in: 0..<options.devices, using: &random) }
    for _ in 0..<options.kills {
      let down = Int.random(in: 0...1_000, using: &random)
      let action: Action =
        Int.random(in: 0..<3, using: &random) == 0
        ? hasNodes ? .node(nodes.kill()) : .killServer(downMilliseconds: down)
        : .killDevice(device(), downMilliseconds: down)
      steps.append(Step(time: time(), action: action))
    }
    for _ in 0..<options.faults {
      steps.append(Step(time: time(), action: .network(.random(using: &random))))
    }
    for _ in 0..<options.ruleChanges {
      let rules = StormRules.allCases[Int.random(in: 0..<3, using: &random)]
      let isEditor = Bool.random(using: &random)
      let areRules = Bool.random(using: &random) || hasNodes
      let action: Action =
        areRules ? .rules(rules) : .customData(device: device(), isEditor: isEditor)
      steps.append(Step(time: time(), action: action))
    }
    for _ in 0..<(hasNodes ? 0 : options.restores) {
      let backup = time()
      steps.append(Step(time: backup, action: .backup))
      steps.append(Step(time: time(after: backup), action: .restore))
    }
    for number in 0..<(hasNodes ? 0 : options.serverKills) {
      // At any time of its part: many kills leave the server the time to start.
      let part = Double(options.seconds) / Double(options.serverKills)
      let time = (Double(number) + Double.random(in: 0..<1, using: &random)) * part
      let down = Int.random(in: 0...200, using: &random)
      steps.append(Step(time: time, action: .killServer(downMilliseconds: down)))
    }
    let errors = Self.clockErrors.shuffled(using: &random)
    for number in 0..<options.clocks {
      // Every third one is the server's.
      let hours = errors[number / 3 % errors.count]
      let action: Action =
        number % 3 > 0
        ? .deviceClock(device(), hours: hours)
        : hasNodes ? .node(nodes.clock(hours: hours)) : .serverClock(hours: hours)
      steps.append(Step(time: time(), action: action))
    }
    if hasNodes {
      nodes.draw()
      steps += nodes.steps
    }
    // Steps of the same time keep their order.
    self.steps = steps.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    .map(\.element)
  }
}
#endif
