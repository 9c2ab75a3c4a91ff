// SPDX-License-Identifier: Apache-2.0

// Devices and a server in memory: the shipped machines and drivers, with a network, clocks and
// tokens moved by a seed.
//
// Invariants:
// 1. One task does everything, one step after the other, in the order of the seed: equal
//    seeds and calls give equal runs.
// 2. A message arrives as the bytes sent, in order, or not at all; if it does not, then
//    no later one of its connection does.
// 3. After each step the rules of `ContentChecker` hold.

package import RealmServerEngine
import RealmStorage
package import RealmSync
package import RealmSyncProtocol
package import RealmTestSupport

/// The whole path of sync in one process, without sockets.
package final class SyncNetwork {
  package let mode: SyncMode
  package let server: SimulatedServer
  package private(set) var devices: [SimulatedDevice] = []
  package var random: SeededGenerator
  package internal(set) var checker = ContentChecker()
  /// Is called with each step, to follow a run.
  package var trace: ((String) -> Void)?
  /// Answers requests in place of files: faults planted by the tests of the checker.
  package var answer: ((SimulatedDevice, StoreRequest) throws -> StoreReply?)?
  let time = SimulatedTime()
  private let limits: ClientMachine.Limits
  var ownProblems: [String] = []
  /// Whether the server may refuse writes, users and files: devices are reset then.
  package let mayRefuse: Bool

  /// - Parameters:
  ///   - limits: The sizes of the server's messages.
  ///   - connectionLimits: The limits of waiting bytes at the server.
  ///   - clientLimits: The limits of waiting bytes at a device.
  ///   - mayRefuse: Whether the server may refuse writes, users and files.
  package init(
    mode: SyncMode, seed: UInt64, limits: SessionLimits = SessionLimits(),
    connectionLimits: ServerConnectionMachine.Limits = .init(),
    clientLimits: ClientMachine.Limits = .init(), mayRefuse: Bool = false
  ) {
    self.mode = mode
    self.mayRefuse = mayRefuse
    self.limits = clientLimits
    random = SeededGenerator(seed: seed)
    server = SimulatedServer(
      mode: mode, seed: ~seed, limits: limits, connectionLimits: connectionLimits, time: time)
  }

  /// Adds a device with a new file.
  ///
  /// - Parameter contents: What is in each new file of the device: the bytes of a file without an
  ///   identifier.
  @discardableResult
  package func addDevice(
    named name: String, of user: String = "user",
    protocolNumber: Int = ProtocolVersion.newest, limits: TurnLimits = TurnLimits(),
    contents: [UInt8] = []
  ) throws -> SimulatedDevice {
    let device = try SimulatedDevice(
      named: name, of: user, ProtocolVersion(mode: mode, number: protocolNumber), limits: limits,
      connectionLimits: self.limits, contents: contents, time: time)
    device.news.mayBeRefused.withLock { $0 = mayRefuse }
    devices.append(device)
    return device
  }

  /// Everything that must not happen here: errors, refusals, broken rules.
  package var problems: [String] {
    ownProblems + server.problems + checker.problems
      + devices.flatMap { device in device.problems.map { "\(device.name): \($0)" } }
  }

  /// The kinds of effects that the drivers have carried out.
  package var metEffects: Set<SimulatedDevice.EffectKind> {
    devices.reduce(into: []) { $0.formUnion($1.news.met.withLock { $0 }) }
  }

  /// Lets time pass.
  package func advance(milliseconds: Milliseconds) { time.advance(by: milliseconds) }

  // MARK: Faults

  /// Close codes of cut sockets.
  private static let codes: [CloseCode] = [
    .readFailed, .readFailed, .readFailed, .writeFailed, .goingAway, .normal, .abnormal,
    .unauthorized, .movedPermanently, .tlsFailed, .forbidden, .fatal,
  ]

  /// Cuts the connection of a device. Of the messages sent before, some may still arrive; the
  /// server learns of the loss later.
  package func cut(_ device: SimulatedDevice) { cut(device, random.pick(Self.codes)) }

  func cut(_ device: SimulatedDevice, _ code: CloseCode) {
    guard let connection = device.connection else { return }
    trace?("\(device.name) loses its connection: \(code.rawValue)")
    let count = random.number(below: connection.toServer.count + 1)
    connection.toServer.removeLast(connection.toServer.count - count)
    connection.toClient = []
    connection.isLostForClient = true
    device.connection = nil
    let socket = device.environment.state.withLock { state in
      defer { (state.socket, state.closing, state.outgoing) = (nil, nil, []) }
      return state.socket
    }
    if let socket { deliverClosed(device, socket, code) }
  }

  private func deliverClosed(_ device: SimulatedDevice, _ socket: UInt64, _ code: CloseCode) {
    let isFatal = code == .forbidden || code == .fatal
    if isFatal {
      device.isLoggedOut = true
      device.news.mayFail.withLock { $0 = true }
    }
    device.driver.deliver(.closed(socket: socket, code, message: "", jitter: jitter()))
  }

  private func jitter() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }

  /// Sets whether a device gets connections.
  package func setOnline(_ isOnline: Bool, _ device: SimulatedDevice) {
    trace?("\(device.name) is \(isOnline ? "online" : "offline")")
    device.isOnline = isOnline
    if !isOnline { cut(device, .readFailed) }
  }

  /// Suspends the session of a device, or resumes it, or both.
  package func tap(_ device: SimulatedDevice) {
    let isResting = device.driver.rest(of: device.session) == .app
    trace?("\(device.name) taps")
    if isResting || random.percent(50) { device.resume() }
    if !isResting || random.percent(50) { device.suspend() }
    if random.percent(70) { device.resume() }
  }

  /// Ends the session of a device and begins another one.
  package func renew(_ device: SimulatedDevice) {
    trace?("\(device.name) ends its session")
    device.endSession()
  }

  /// Ends the program of a device and starts it again.
  ///
  /// - Parameter disk: The disk at the start; nil for the present one.
  package func restart(
    _ device: SimulatedDevice, from disk: SimulatedDevice.Disk? = nil
  )
    async throws
  {
    trace?("\(device.name) restarts")
    cut(device, .readFailed)
    try await device.restart(from: disk)
  }

  /// Kills the server and starts it again.
  package func restartServer() throws {
    trace?("the server restarts")
    for device in devices { cut(device, .readFailed) }
    try server.restart()
  }

  // MARK: Steps

  typealias Step = (name: String, take: () async throws -> Void)

  /// Does one possible thing at a device or its connection.
  ///
  /// - Returns: Whether there was one.
  package func proceed(_ device: SimulatedDevice) async -> Bool {
    var steps = steps(of: device)
    if let connection = device.connection { steps += await self.steps(of: connection) }
    return await take(steps, device.name)
  }

  /// Does one thing at a connection lost by its device.
  ///
  /// - Returns: Whether there is one.
  package func proceedWithLostConnection() async -> Bool {
    let lost = server.connections.filter { $0.isLostForClient }
    guard !lost.isEmpty else { return false }
    let connection = random.pick(lost)
    var steps = await steps(of: connection)
    if connection.toServer.isEmpty, connection.state.closing == nil {
      steps.append(("is lost at the server", { await self.server.lose(connection) }))
    }
    defer { server.forgetIfOver(connection) }
    return await take(steps, "lost connection \(connection.number)")
  }

  private func take(_ steps: [Step], _ name: String) async -> Bool {
    guard !steps.isEmpty else { return false }
    let step = random.pick(steps)
    trace?("\(name): \(step.name)")
    do {
      try await step.take()
      try await check()
    } catch {
      ownProblems.append("\(name): \(error)")
    }
    return true
  }

  /// The first line of a message.
  private static func head(_ message: [UInt8]?) -> String {
    String(decoding: message?.prefix { $0 != UInt8(ascii: "\n") } ?? [], as: UTF8.self)
  }

  // MARK: Devices

  private func steps(of device: SimulatedDevice) -> [Step] {
    let driver = device.driver
    let state = device.environment.state.withLock { $0 }
    var steps: [Step] = []
    if state.isScheduled {
      steps.append(
        (
          "carries out",
          {
            device.environment.state.withLock { $0.isScheduled = false }
            driver.carryOut()
          }
        ))
    }
    if state.opening != nil, device.connection == nil {
      steps.append(("connects", { await self.connect(device) }))
    }
    if state.socket != nil {
      steps += socketSteps(of: device, state)
    }
    if state.works.contains(where: { $0.reply == nil }) {
      steps.append(("performs", { try await self.perform(device) }))
    }
    if let index = state.works.firstIndex(where: { $0.reply != nil }),
      let reply = state.works[index].reply
    {
      steps.append(
        (
          "answers",
          {
            device.environment.state.withLock { state in _ = state.works.remove(at: index) }
            state.works[index].end(reply)
          }
        ))
    }
    let due = state.timers.filter { $0.value <= time.now }
      .min { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }?.key
    if let due {
      steps.append(
        (
          "\(due)",
          {
            device.environment.state.withLock { $0.timers[due] = nil }
            driver.deliver(.timer(due, jitter: self.jitter()))
          }
        ))
    }
    return steps + userSteps(of: device, state) + resetSteps(of: device)
  }

  private func socketSteps(
    of device: SimulatedDevice, _ state: SimulatedEnvironment.State
  ) -> [Step] {
    guard let socket = state.socket, let connection = device.connection else { return [] }
    var steps: [Step] = []
    if let message = state.outgoing.first {
      steps.append(
        (
          "sends \(Self.head(message))",
          {
            device.environment.state.withLock { state in _ = state.outgoing.removeFirst() }
            connection.toServer.append(message)
            device.driver.deliver(.sent(socket: socket, byteCount: message.count))
          }
        ))
    } else if let code = state.closing {
      steps.append(("closes", { self.close(device, code) }))
    }
    if state.closing == nil {
      if let message = connection.toClient.first, !state.isReadingPaused {
        steps.append(
          (
            "receives \(Self.head(message))",
            {
              connection.toClient.removeFirst()
              device.driver.deliver(
                .message(socket: socket, message, jitter: self.jitter()))
            }
          ))
      } else if let code = connection.state.closing, connection.state.output.isEmpty,
        connection.toClient.isEmpty
      {
        steps.append(("is closed", { self.cut(device, code) }))
      }
    }
    return steps
  }

  /// Answers what a device needs: it is there, or cannot be had now.
  private func answer(
    _ device: SimulatedDevice, _ need: WritableKeyPath<SimulatedEnvironment.State, Bool>,
    _ found: ClientInput, else missing: (UInt32) -> ClientInput
  ) {
    device.environment.state.withLock { $0[keyPath: need] = false }
    device.driver.deliver(random.percent(80) ? found : missing(jitter()))
  }

  private func userSteps(
    of device: SimulatedDevice, _ state: SimulatedEnvironment.State
  ) -> [Step] {
    let driver = device.driver
    var steps: [Step] = []
    if state.needsToken {
      steps.append(
        (
          "gets a token",
          { self.answer(device, \.needsToken, .tokenRefreshed) { .tokenUnavailable(jitter: $0) } }
        ))
    }
    if state.needsLocation {
      steps.append(
        (
          "gets a location",
          {
            self.answer(device, \.needsLocation, .locationRefreshed) {
              .locationUnavailable(jitter: $0)
            }
          }
        ))
    }
    if state.needsLogOut || device.isLoggedOut {
      steps.append(
        (
          "logs in",
          {
            device.environment.state.withLock { $0.needsLogOut = false }
            device.isLoggedOut = false
            driver.send(.reconnect)
          }
        ))
    }
    if device.hasEnded { steps.append(("begins a session", { try device.begin() })) }
    return steps
  }

  private func connect(_ device: SimulatedDevice) async {
    let socket = device.environment.state.withLock { state in
      defer { state.opening = nil }
      return state.opening
    }
    guard let socket else { return }
    guard device.isOnline else { return deliverClosed(device, socket, .connectFailed) }
    device.environment.state.withLock { state in
      (state.socket, state.isReadingPaused) = (socket, false)
    }
    device.connection = await server.accept(device.version, of: device.user)
    device.driver.deliver(
      .opened(
        socket: socket, protocolName: device.version.description, jitter: jitter()))
  }

  /// Closes a socket given up by the driver.
  private func close(_ device: SimulatedDevice, _ code: CloseCode) {
    device.environment.state.withLock { state in
      (state.socket, state.closing) = (nil, nil)
    }
    device.connection?.isLostForClient = true
    device.connection = nil
  }

  private func perform(_ device: SimulatedDevice) async throws {
    if let request = device.nextRequest, let reply = try answer?(device, request) {
      return device.answer(reply)
    }
    if let disk = await device.perform() { try await restart(device, from: disk) }
  }

  // MARK: The server

  private func steps(of connection: SimulatedConnection) async -> [Step] {
    let (server, state) = (server, connection.state)
    if state.isEvicted, state.closing == nil {
      return [("is evicted", { await server.takeEvent(of: connection) })]
    }
    var steps: [Step] = []
    if state.closing == nil, !state.events.isEmpty {
      steps.append(("ends a refused session", { await server.takeEvent(of: connection) }))
    }
    if let message = connection.toServer.first, await !connection.driver.isReadingPaused,
      !awaitsMore(after: message, connection)
    {
      steps.append(
        ("serves \(Self.head(message))", { await server.receive(from: connection) }))
    }
    if !state.output.isEmpty {
      steps.append(("writes", { try await self.write(connection) }))
    }
    if state.works.contains(where: { $0.reply == nil }) {
      steps.append(("performs at the server", { await server.perform(connection) }))
    }
    if state.works.contains(where: { $0.reply != nil }) {
      steps.append(("answers at the server", { await server.reply(connection) }))
    }
    if server.hasRoom(for: connection) {
      steps.append(("finds room", { await server.giveRoom(to: connection) }))
    }
    if !state.ended.isEmpty {
      steps.append(("ends a session", { await server.closeEnded(connection) }))
    }
    if state.closing == nil, !state.sessions.isEmpty,
      server.head.version > connection.announced.version
    {
      steps.append(("hears news", { await server.announce(to: connection) }))
    }
    if let timer = state.timer, timer <= time.now, state.closing == nil {
      steps.append(
        (
          "waits at the server",
          {
            connection.environment.state.withLock { $0.timer = nil }
            await connection.driver.deliver(.timer)
          }
        ))
    }
    return steps
  }

  /// Whether a QUERY waits for what its device sends in the same breath: a program that subscribes
  /// and writes makes QUERY, MARK and UPLOAD, and the server takes them at once.
  private func awaitsMore(after message: [UInt8], _ connection: SimulatedConnection) -> Bool {
    guard connection.isQueryNext,
      let device = devices.first(where: { $0.connection === connection })
    else { return false }
    return device.environment.state.withLock { state in
      state.isScheduled || !state.works.isEmpty || !state.outgoing.isEmpty
    }
  }

  /// Lets the server's socket take a message; it must not say more than is stored.
  private func write(_ connection: SimulatedConnection) async throws {
    if let (bytes, said) = connection.state.output.first {
      let message = try? MessageParser(version: connection.version).serverMessage(bytes)
      if let message {
        connection.reports.receive(message)
        ownProblems += connection.reports.problems
      }
      switch message {
      case .download(_, let download): checker.check(download.cursors, are: said)
      case .ident(_, let file, _): checker.check(SyncCursors(), are: said, of: file)
      default: break
      }
      // What was found on the disk once stays there.
      if let said, connection.foundProgress != said {
        connection.foundProgress = said
        let head = try await server.realm().head.version
        checker.check(said, try await server.file(said.file), head: head)
      }
    }
    await server.write(connection)
  }
}
