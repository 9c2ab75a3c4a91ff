// SPDX-License-Identifier: Apache-2.0

// The end of a simulated connection as the server's code has it.

#if Postgres
import RealmSyncProtocol

/// An end of a `SimulatedChannel` at a node.
final class SimulatedSocket: MessageSocket, @unchecked Sendable {
  // Sendable: the thread of the simulation alone uses it (`GlobalExecutorHook`).

  private typealias Receiver = CheckedContinuation<Result<[UInt8], SocketClosed>, Never>

  let channel: SimulatedChannel
  private let end: SimulatedChannel.End
  private var inbox: [[UInt8]] = []
  private var receiver: Receiver?
  private var closed: SocketClosed?

  /// - Parameter executor: Runs the code of the process that has the socket, which calls this.
  init(
    _ channel: SimulatedChannel, _ end: SimulatedChannel.End, on executor: SimulationExecutor
  ) {
    self.channel = channel
    self.end = end
    let process = executor.process
    channel.setTaker(of: end) { [unowned executor, weak self] item in
      executor.inProcess(process) { self?.take(item) }
    }
  }

  var protocolName: String { channel.protocolName }

  private var other: SimulatedChannel.End { end == .caller ? .called : .caller }

  private func take(_ item: SimulatedChannel.Item) {
    switch item {
    case .message(let bytes):
      if let receiver = receiver.take() {
        receiver.resume(returning: .success(bytes))
      } else {
        inbox.append(bytes)
      }
    case .end(let reason): finish(reason)
    }
  }

  private func finish(_ reason: SocketClosed) {
    closed = closed ?? reason
    channel.close(end)
    receiver.take()?.resume(returning: .failure(reason))
  }

  func receive() async throws(SocketClosed) -> [UInt8] {
    // Nothing arrives between a look at the inbox and the wait: both are one step.
    try await withCheckedContinuation { (receiver: Receiver) in
      if !inbox.isEmpty {
        receiver.resume(returning: .success(inbox.removeFirst()))
      } else if let closed {
        receiver.resume(returning: .failure(closed))
      } else {
        self.receiver = receiver
      }
    }.get()
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    if let closed { throw closed }
    channel.send(.message(message), to: other)
  }

  func close(_ code: CloseCode, reason: String) async {
    guard closed == nil else { return }
    let reason = SocketClosed(code, reason)
    channel.send(.end(reason), to: other)
    finish(reason)
  }

  /// Ends the socket, as its process has ended.
  func abandon() { finish(SocketClosed(.goingAway, "the process has ended")) }
}
#endif
