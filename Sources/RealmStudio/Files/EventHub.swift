// SPDX-License-Identifier: Apache-2.0

// Events on their way to the pages.

#if Tools
import RealmStorage
import RealmFormats

/// The open event streams of all pages.
final class EventHub: Sendable {
  private struct State {
    var streams: [Int: AsyncStream<String>.Continuation] = [:]
    var next = 0
    var isFinished = false
  }

  /// The most events in a page's stream. A slower reader misses old ones: each event names the
  /// newest version, and a page needs no more.
  private static let backlogMax = 64

  private let state = Locked(State())

  /// A stream of events, each the text of one message.
  func subscribe() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(Self.backlogMax))
    let number = state.withLock { state -> Int? in
      guard !state.isFinished else { return nil }
      state.streams[state.next] = continuation
      state.next += 1
      return state.next - 1
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
    }
    // The first message shows the page its connection.
    continuation.yield(Self.message(["kind": "hello"]))
    return stream
  }

  /// The number of listening pages.
  var count: Int { state.withLock { $0.streams.count } }

  /// Sends an event to all pages.
  func publish(_ event: JSONValue) {
    let message = Self.message(event)
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(message) }
  }

  /// Sends an event for pages to ignore: a closed connection is found by it.
  func ping() {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(": ping\n\n") }
  }

  /// Ends all streams, and later ones when they are opened.
  func finish() {
    let streams = state.withLock { state -> [AsyncStream<String>.Continuation] in
      state.isFinished = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }

  private static func message(_ event: JSONValue) -> String {
    "data: \(JSONWriter.text(event))\n\n"
  }
}
#endif
