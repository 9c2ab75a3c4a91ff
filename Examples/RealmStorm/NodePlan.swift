// SPDX-License-Identifier: Apache-2.0

// The plan of a storm with nodes.
//
// Left out are backups and their restores, which are those of the database (PostgreSQL has tools
// for them), and changes of custom data, whose command works on files.

#if Server
/// Draws what goes wrong with nodes and their database.
struct NodePlan {
  /// Longer than a lease, which is 15 seconds, in milliseconds.
  private static let pauses = 16_000...25_000
  private static let outages = 500...20_000

  let options: StormOptions
  var random: StormGenerator
  private(set) var steps: [Plan.Step] = []

  init(_ options: StormOptions, _ random: StormGenerator) {
    (self.options, self.random) = (options, random)
  }

  private mutating func node() -> Int { Int.random(in: 0..<options.nodes, using: &random) }

  private mutating func add(_ fault: NodeFault) {
    let time = Double.random(in: 0..<Double(options.seconds), using: &random)
    steps.append(Plan.Step(time: time, action: .node(fault)))
  }

  /// Adds a fault at any time of its part: many of them leave the servers the time to start.
  private mutating func add(_ fault: NodeFault, _ number: Int, of count: Int) {
    let part = Double(options.seconds) / Double(count)
    let time = (Double(number) + Double.random(in: 0..<1, using: &random)) * part
    steps.append(Plan.Step(time: time, action: .node(fault)))
  }

  /// The kill of a node, or of all.
  mutating func kill() -> NodeFault {
    let down = Int.random(in: 0...3_000, using: &random)
    return Int.random(in: 0..<5, using: &random) == 0
      ? .killAll(down: down) : .kill(node: node(), down: down)
  }

  /// A jump of a node's clock.
  mutating func clock(hours: Int) -> NodeFault { .clock(node: node(), hours: hours) }

  /// Adds all that is of nodes alone.
  mutating func draw() {
    for number in 0..<options.serverKills { add(kill(), number, of: options.serverKills) }
    for number in 0..<options.failovers { addFailover(number) }
    for _ in 0..<options.databaseRestarts { addRestart() }
    for _ in 0..<options.pauses {
      add(.pause(node: node(), time: Int.random(in: Self.pauses, using: &random)))
    }
    for _ in 0..<options.partitions { addPartition() }
    for _ in 0..<options.slowdowns { addSlowdown() }
    for _ in 0..<options.upgrades { add(.upgrade) }
  }

  private mutating func addFailover(_ number: Int) {
    let fault = DatabaseFault.failOver(
      promotionAfter: Int.random(in: 0...5_000, using: &random),
      returnAfter: Int.random(in: 0...3_000, using: &random))
    let isWithNode = Int.random(in: 0..<3, using: &random) == 0
    let down = Int.random(in: 0...3_000, using: &random)
    add(
      isWithNode ? .failOverWithNode(fault, node: node(), down: down) : .database(fault),
      number, of: options.failovers)
  }

  private mutating func addRestart() {
    let milliseconds = Int.random(in: 0...5_000, using: &random)
    add(
      .database(
        Bool.random(using: &random)
          ? .restartPrimary(after: milliseconds) : .restartStandby(after: milliseconds)))
  }

  private mutating func addPartition() {
    let link = NodeLink.random(count: options.nodes, using: &random)
    let time = Int.random(in: Self.outages, using: &random)
    let direction = HoldDirection.allCases[Int.random(in: 0..<3, using: &random)]
    let isHeld = Int.random(in: 0..<3, using: &random) > 0
    add(isHeld ? .hold(link, direction, time: time) : .refuse(link, time: time))
  }

  /// A slow disk of the database, as its clients see it, or a slow standby.
  private mutating func addSlowdown() {
    let delay = Int.random(in: 5...300, using: &random)
    let time = Int.random(in: Self.outages, using: &random)
    let link = Bool.random(using: &random) ? NodeLink.primary(node: node()) : .replication
    add(.slow(link, delay: delay, time: time))
  }
}
#endif
