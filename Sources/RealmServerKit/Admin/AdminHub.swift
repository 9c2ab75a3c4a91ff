// SPDX-License-Identifier: Apache-2.0

// Events on their way to the pages of the server.
//
// Invariants:
// 1. No more streams are open than the limit, and none keeps more than its newest events.

#if Server
import NIOConcurrencyHelpers
import RealmFormats

/// The open event streams of all pages.
final class AdminHub: Sendable {
  /// The most streams at a time.
  static let streamCountMax = 16
  /// The most events in a page's stream. Each has the whole state, so a slower reader misses
  /// nothing that counts.
  private static let backlogMax = 4

  private struct State {
    var streams: [Int: AsyncStream<String>.Continuation] = [:]
    var next = 0
    var isFinished = false
    var last: JSONValue?
  }

  private let state = NIOLockedValueBox(State())

  /// A stream of events, each the text of one message; nil if there are too many.
  func subscribe() -> AsyncStream<String>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(Self.backlogMax))
    let number = state.withLockedValue { state -> Int? in
      guard !state.isFinished, state.streams.count < Self.streamCountMax else { return nil }
      state.streams[state.next] = continuation
      state.next += 1
      // The next state is sent, whether it has changed or not.
      state.last = nil
      return state.next - 1
    }
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLockedValue { $0.streams.removeValue(forKey: number) }
    }
    return stream
  }

  /// The number of listening pages.
  var count: Int { state.withLockedValue { $0.streams.count } }

  /// Sends the state of the server to all pages, if it is another one than before.
  func publish(_ overview: JSONValue) {
    let streams = state.withLockedValue { state -> [AsyncStream<String>.Continuation] in
      guard state.last != overview else { return [] }
      state.last = overview
      return Array(state.streams.values)
    }
    guard !streams.isEmpty else { return }
    let message = "data: \(JSONWriter.text(overview))\n\n"
    for stream in streams { stream.yield(message) }
  }

  /// Sends an event for pages to ignore: a closed connection is found by it.
  func ping() {
    for stream in state.withLockedValue({ Array($0.streams.values) }) { stream.yield(": ping\n\n") }
  }

  /// Ends all streams; later ones are refused.
  func finish() {
    let streams = state.withLockedValue { state -> [AsyncStream<String>.Continuation] in
      state.isFinished = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
#endif
