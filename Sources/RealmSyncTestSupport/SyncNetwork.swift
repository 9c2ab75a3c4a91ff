// SPDX-License-Identifier: Apache-2.0

// Devices and a server in memory, and the messages between them.
//
// Invariants:
// 1. One task does everything, one step after the other, in an order that the seed decides: equal
//    seeds and calls give equal runs.
// 2. A message arrives as the bytes that were sent, in order, or not at all; if it does not, then
//    no later one of its connection does.

package import RealmServerEngine
package import RealmSync
package import RealmSyncProtocol
package import RealmTestSupport

/// The whole path of sync in one process, without sockets.
package final class SyncNetwork {
  package let mode: SyncMode
  package let server: SimulatedServer
  package private(set) var devices: [SimulatedDevice] = []
  package var random: SeededGenerator
  /// The time of connections and delays.
  package private(set) var now: Milliseconds = 0
  private var connectionCount: UInt64 = 0
  private var waitCount: UInt64 = 0
  /// Is called with what happens, to follow a run.
  package var trace: ((String) -> Void)?

  package init(mode: SyncMode, seed: UInt64, limits: SessionLimits = SessionLimits()) {
    self.mode = mode
    random = SeededGenerator(seed: seed)
    server = SimulatedServer(mode: mode, seed: ~seed, limits: limits)
  }

  /// Adds a device with a new file.
  @discardableResult
  package func addDevice(
    named name: String, protocolNumber: Int = ProtocolVersion.newest,
    limits: TurnLimits = TurnLimits()
  ) throws -> SimulatedDevice {
    let device = try SimulatedDevice(
      named: name, ProtocolVersion(mode: mode, number: protocolNumber), limits: limits)
    devices.append(device)
    return device
  }

  /// Everything that must not happen here: errors, refusals, broken rules.
  package var problems: [String] {
    server.problems + devices.flatMap { device in device.problems.map { "\(device.name): \($0)" } }
  }

  /// Lets time pass.
  package func advance(milliseconds: Milliseconds) { now += milliseconds }

  // MARK: Faults

  /// Cuts the connection of a device. Of the messages that it has sent, some may still arrive; the
  /// server learns of the loss later.
  package func cut(_ device: SimulatedDevice) {
    guard let connection = device.connection else { return }
    trace?("\(device.name) loses its connection")
    let count = random.number(below: connection.toServer.count + 1)
    connection.toServer.removeLast(connection.toServer.count - count)
    connection.toClient = []
    connection.isLostForClient = true
    device.connection = nil
    device.session = nil
    device.handle(.connectionLost, now: now)
  }

  /// Sets whether a device gets connections.
  package func setOnline(_ isOnline: Bool, _ device: SimulatedDevice) {
    trace?("\(device.name) is \(isOnline ? "online" : "offline")")
    device.isOnline = isOnline
    if !isOnline { cut(device) }
  }

  /// Ends the program of a device and starts it again.
  ///
  /// - Parameter contents: The bytes that the file has then; nil for those that it has.
  package func restart(
    _ device: SimulatedDevice, from contents: [UInt8]? = nil
  ) async throws {
    trace?("\(device.name) restarts")
    cut(device)
    try await device.restart(from: contents)
  }

  /// Kills the server and starts it again.
  package func restartServer() throws {
    trace?("the server restarts")
    for device in devices { cut(device) }
    try server.restart()
  }

  // MARK: Steps

  /// Tells the session of a device that its program has written.
  package func announce(_ device: SimulatedDevice) throws { try device.announce(now: now) }

  private enum Step {
    case connect, retry, receive, perform, reply
    case serverCloses, serverReceives, serverPerforms, serverReplies, serverAnnounces
  }

  /// Does one thing that a device or its connections can do.
  ///
  /// - Returns: Whether there was one.
  package func proceed(_ device: SimulatedDevice) async -> Bool {
    var steps: [(step: Step, connection: SimulatedConnection?)] = []
    if device.isOnline, device.connection == nil || device.wantsSession {
      steps.append((.connect, nil))
    }
    if device.isSuspended { steps.append((.retry, nil)) }
    if let connection = device.connection {
      if !connection.toClient.isEmpty { steps.append((.receive, nil)) }
      addSteps(of: connection, &steps)
    }
    if device.request != nil { steps.append((.perform, nil)) }
    if device.reply != nil { steps.append((.reply, nil)) }
    guard !steps.isEmpty else { return false }
    let (step, connection) = random.pick(steps)
    let bytes = step == .receive ? device.connection?.toClient.first : nil
    trace?("\(device.name): \(step) \(Self.head(bytes ?? connection?.toServer.first))")
    if let connection {
      await take(step, at: connection)
    } else {
      await take(step, on: device)
    }
    return true
  }

  /// Does one thing at a connection that its device has lost.
  ///
  /// - Returns: Whether there is one.
  package func proceedWithLostConnection() async -> Bool {
    let lost = server.connections.filter(\.isLostForClient)
    guard !lost.isEmpty else { return false }
    let connection = random.pick(lost)
    var steps: [(step: Step, connection: SimulatedConnection?)] = []
    addSteps(of: connection, &steps)
    if connection.toServer.isEmpty { steps.append((.serverCloses, connection)) }
    guard !steps.isEmpty else { return false }
    let step = random.pick(steps).step
    trace?("lost connection \(connection.number): \(step) \(Self.head(connection.toServer.first))")
    await take(step, at: connection)
    return true
  }

  /// The first line of a message.
  private static func head(_ message: [UInt8]?) -> String {
    String(decoding: message?.prefix { $0 != UInt8(ascii: "\n") } ?? [], as: UTF8.self)
  }

  private func addSteps(
    of connection: SimulatedConnection,
    _ steps: inout [(step: Step, connection: SimulatedConnection?)]
  ) {
    if connection.isEvicted.isSet { return steps.append((.serverCloses, connection)) }
    if !connection.toServer.isEmpty { steps.append((.serverReceives, connection)) }
    guard let session = connection.session else { return }
    if session.request != nil { steps.append((.serverPerforms, connection)) }
    if session.reply != nil { steps.append((.serverReplies, connection)) }
    if server.head.version > session.announced.version {
      steps.append((.serverAnnounces, connection))
    }
  }

  private func take(_ step: Step, on device: SimulatedDevice) async {
    switch step {
    case .connect: connect(device)
    case .retry:
      device.isSuspended = false
      device.handle(.retry, now: now)
    case .receive: device.receive(now: now)
    case .perform:
      let contents = await device.perform()
      do {
        if let contents { try await restart(device, from: contents) }
        if device.afterCommit != nil { try announce(device) }
      } catch {
        device.problems.append("\(error)")
      }
    case .reply:
      guard let (number, reply) = device.reply else { return }
      device.reply = nil
      device.handle(.stored(request: number, reply), now: now)
    case .serverCloses, .serverReceives, .serverPerforms, .serverReplies, .serverAnnounces: break
    }
  }

  private func connect(_ device: SimulatedDevice) {
    let connection: SimulatedConnection
    if let known = device.connection {
      connection = known
    } else {
      connectionCount += 1
      connection = SimulatedConnection(number: connectionCount, device.version)
      server.accept(connection)
      device.connection = connection
    }
    device.wantsSession = false
    let number = connection.makeSessionNumber()
    device.session = number
    device.handle(.connectionReady(device.version, session: number), now: now)
  }

  private func take(_ step: Step, at connection: SimulatedConnection) async {
    switch step {
    case .serverCloses:
      if let device = devices.first(where: { $0.connection === connection }) { cut(device) }
      await server.close(connection)
    case .serverReceives: await server.receive(from: connection)
    case .serverPerforms:
      if let session = connection.session { await server.perform(session) }
    case .serverReplies:
      guard let session = connection.session, let (number, reply) = session.reply else { return }
      session.reply = nil
      await server.handle(.stored(request: number, reply), in: session, of: connection)
    case .serverAnnounces:
      guard let session = connection.session else { return }
      session.announced = server.head
      await server.handle(.head(server.head), in: session, of: connection)
    case .connect, .retry, .receive, .perform, .reply: break
    }
  }

  // MARK: Meeting

  /// Lets everything come to its end: all that devices have written is at the server and at all
  /// other devices then, as far as those are online.
  ///
  /// - Returns: Whether there was an end, without problems.
  package func settle() async throws -> Bool {
    var waits: [(device: SimulatedDevice, id: UInt64)] = []
    for device in devices where device.isOnline {
      try device.announce(now: now)
      for kind in [SessionWait.upload, .download] {
        waitCount += 1
        waits.append((device, waitCount))
        device.handle(.wait(kind, id: waitCount), now: now)
      }
    }
    for _ in 0..<100_000 {
      now += 10
      var isBusy = await proceedWithLostConnection()
      for device in devices where await proceed(device) { isBusy = true }
      // An error that ends a session may come again and again.
      guard problems.isEmpty else { return false }
      if !isBusy { return waits.allSatisfy { $0.device.finished[$0.id] == 1 } }
    }
    return false
  }
}
