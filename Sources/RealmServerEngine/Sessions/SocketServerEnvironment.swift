// SPDX-License-Identifier: Apache-2.0

// The environment of a server's connections: a socket, the memory and the turns that connections
// share, the system's time, tasks.
//
// Invariants:
// 1. Messages are sent in the order of the calls, one at a time.
// 2. Where the memory has no room, a DOWNLOAD is not begun; one that is written already can be
//    sent, and makes room, and so does one that an UPLOAD waits for.

import RealmStorage
package import RealmSyncProtocol

/// Sends to the socket of a `ServerDriver`, and carries out the requests of its sessions.
package final class SocketServerEnvironment: ServerEnvironment {
  /// Makes the handler of a new session.
  package typealias HandlerSource = @Sendable (ServerSessionLink) -> any ServerRequestHandler

  private struct State {
    var output: [[UInt8]] = []
    var isWriting = false
    var closing: Outgoing?
  }

  private enum Outgoing {
    case messages([[UInt8]])
    case close(CloseCode, reason: String)
  }

  private let socket: any MessageSocket
  private let timer: SyncClock
  private let handlerSource: HandlerSource
  private let turns: DownloadTurns
  private let memory: any ConnectionMemory
  private let alarms: ConnectionAlarms
  /// The room for a DOWNLOAD, about.
  private let downloadByteCount: Int
  private let notify: @Sendable (String) -> Void
  private let state = Locked(State())

  /// - Parameters:
  ///   - downloadByteCount: The room needed to make a DOWNLOAD.
  ///   - turns: The turns of all connections together.
  ///   - memory: The connection's part of the shared memory.
  ///   - alarms: The alarms of all connections together; nil for some of its own.
  ///   - notice: Takes a line for the operator for each refused message.
  package init(
    _ socket: any MessageSocket, downloadByteCount: Int = 1 << 20, timer: SyncClock,
    turns: DownloadTurns = DownloadTurns(), memory: (any ConnectionMemory)? = nil,
    alarms: ConnectionAlarms? = nil, notice: @escaping @Sendable (String) -> Void = { _ in },
    handlerSource: @escaping HandlerSource
  ) {
    self.socket = socket
    self.timer = timer
    self.handlerSource = handlerSource
    self.turns = turns
    self.memory = memory ?? UnlimitedMemory()
    self.alarms = alarms ?? ConnectionAlarms(timer: timer)
    self.downloadByteCount = downloadByteCount
    notify = notice
  }

  package var now: Milliseconds { timer.now() }

  package func setTimer(at time: Milliseconds, for driver: ServerDriver) {
    alarms.set(driver, at: time)
  }

  package func notice(_ line: String) { notify(line) }

  package func stop() {
    state.withLock { $0.output = [] }
    memory.end()
  }

  // MARK: The socket

  package func send(_ message: [UInt8], after stored: StoredProgress?, for driver: ServerDriver) {
    // The machine gives it after the realm has made it durable.
    write(for: driver) { $0.output.append(message) }
  }

  package func close(_ code: CloseCode, reason: String, for driver: ServerDriver) {
    write(for: driver) { $0.closing = .close(code, reason: reason) }
  }

  /// Adds something to write, and lets a task write it.
  private func write(for driver: ServerDriver, _ add: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      add(&state)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isFirst { Task { await write(for: driver) } }
  }

  private func write(for driver: ServerDriver) async {
    while let next = takeOutgoing() {
      guard case .messages(var messages) = next else {
        if case .close(let code, let reason) = next { await socket.close(code, reason: reason) }
        continue
      }
      for index in messages.indices {
        let count = messages[index].count
        // Nothing keeps a message after the socket has it. The reading task sees the fate of the
        // socket.
        try? await socket.send(Self.take(&messages[index]))
        await driver.deliver(.written(byteCount: count))
      }
    }
  }

  /// The next thing for the socket; nil at the end of the writing task.
  private func takeOutgoing() -> Outgoing? {
    state.withLock { state in
      if !state.output.isEmpty {
        defer { state.output = [] }
        return .messages(state.output)
      }
      defer { state.closing = nil }
      state.isWriting = state.closing != nil
      return state.closing
    }
  }

  private static func take(_ message: inout [UInt8]) -> [UInt8] {
    defer { message = [] }
    return message
  }

  // MARK: Sessions

  package func begin(_ session: UInt64, for driver: ServerDriver) -> any ServerRequestHandler {
    handlerSource(ServerSessionLink(session: session, of: driver))
  }

  package func close(_ handler: any ServerRequestHandler, of session: UInt64) {
    Task { await handler.close() }
  }

  package func refuse(
    _ number: UInt64, of session: UInt64, _ refusal: SessionRefusal, for driver: ServerDriver
  ) {
    Task { await driver.didPerform(number, of: session, .refused(refusal)) }
  }

  package func perform(
    _ request: ServerStoreRequest, number: UInt64, of session: UInt64,
    by handler: any ServerRequestHandler, for driver: ServerDriver
  ) {
    Task {
      guard case .nextDownload = request else {
        return await driver.didPerform(number, of: session, await handler.perform(request))
      }
      let room = await beginDownload(of: session, driver)
      // The turns here are for this server's own work: another one has its own.
      let turn = DownloadTurn(turns, memory, room: room)
      if handler.isForwarded { turn.end() }
      let reply = await SearchTurns.$whenLong.withValue(.init { turn.giveUp() }) {
        await handler.perform(request)
      }
      turn.end()
      await driver.didPerform(number, of: session, reply)
      turn.release()
    }
  }

  /// Waits for a turn, and for room for a DOWNLOAD (`SocketServerEnvironment` 2). Returns the
  /// reserved room.
  private func beginDownload(of session: UInt64, _ driver: ServerDriver) async -> Int {
    while true {
      await turns.begin()
      guard await driver.needsRoom(forDownloadOf: session) else { return 0 }
      if memory.reserve(downloadByteCount) { return downloadByteCount }
      turns.end()
      await memory.waitForRoom(downloadByteCount)
    }
  }

  // MARK: Memory

  package func hold(_ byteCount: Int) -> Bool { memory.hold(byteCount) }
  package func reserve(_ byteCount: Int) -> Bool { memory.reserve(byteCount) }
  package func release(_ byteCount: Int) { memory.release(byteCount) }

  package func takeRoom(_ byteCount: Int, for session: UInt64, of driver: ServerDriver) {
    memory.takeUploadRoom(byteCount, for: session) { [weak driver] in
      guard let driver else { return }
      Task { await driver.deliver(.session(session, .hasRoom)) }
    }
  }

  package func giveRoomBack(of session: UInt64) { memory.giveUploadRoomBack(of: session) }
}

extension ServerDriver {
  /// Takes the client's messages until the socket is closed. Returns the reason.
  package func serve(_ socket: any MessageSocket) async -> SocketClosed {
    while true {
      do throws(SocketClosed) {
        await receive(try await socket.receive())
      } catch {
        socketDidClose()
        return error
      }
    }
  }
}
