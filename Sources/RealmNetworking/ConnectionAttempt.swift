// SPDX-License-Identifier: Apache-2.0

// The channels of an attempt to connect, closed together when it is cancelled.

#if Sync
import NIOCore
import NIOConcurrencyHelpers
import RealmSyncProtocol

/// An attempt to connect: several channels, as a name may have several addresses.
final class ConnectionAttempt: Sendable {
  private struct State {
    var channels: [any Channel] = []
    var timers: [Scheduled<Void>] = []
    var isCancelled = false
    var isFinished = false
    var failure: SocketClosed?
  }

  private let state = NIOLockedValueBox(State())

  /// Takes a channel, to be closed at the end of the time.
  func add(_ channel: any Channel, timeout: TimeAmount) {
    let timer = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    let isCancelled = state.withLockedValue { state in
      state.channels.append(channel)
      state.timers.append(timer)
      return state.isCancelled
    }
    if isCancelled { channel.close(promise: nil) }
  }

  /// Why the attempt failed, if a handler knows more than the error of its channel says.
  var failure: SocketClosed? { state.withLockedValue { $0.failure } }

  func fail(_ failure: SocketClosed) { state.withLockedValue { $0.failure = failure } }

  /// The attempt was successful. Returns false if it was ended before.
  func finish() -> Bool {
    state.withLockedValue { state in
      for timer in state.timers { timer.cancel() }
      state.isFinished = !state.isCancelled
      return state.isFinished
    }
  }

  /// Ends the attempt, unless it was successful.
  func cancel() {
    let channels = state.withLockedValue { state -> [any Channel] in
      guard !state.isFinished else { return [] }
      state.isCancelled = true
      for timer in state.timers { timer.cancel() }
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }
}
#endif
