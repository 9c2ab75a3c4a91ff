// SPDX-License-Identifier: Apache-2.0

// Many devices of a server, in processes of few thousand sockets each.

#if Server
import Foundation
import RealmTestSupport

/// The processes of a crowd.
struct Crowd {
  private struct Part {
    let process: SpawnedProgram
    let count: Int
    let lines: AsyncStream<String>
  }

  private var parts: [Part] = []
  /// The devices.
  let count: Int

  /// Starts processes, and returns when all devices are connected.
  init(_ server: MeasuredServer, _ options: SyncOptions) async throws {
    count = options.clients
    let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
    var rest = options.clients
    while rest > 0 {
      let size = min(rest, options.clientsPerProcess)
      let process = try SpawnedProgram(
        program, [CrowdProcess.name, "\(server.mode)", server.address, "\(size)"],
        input: .pipe, output: .pipe)
      parts.append(Part(process: process, count: size, lines: Self.lines(of: process)))
      rest -= size
    }
    for part in parts { try await Self.read(part, "ready") }
  }

  /// Ends the processes.
  func end() { for part in parts { part.process.kill() } }

  /// The processor time of all processes.
  func processorTime() throws -> Duration {
    try parts.reduce(.zero) { $0 + (try ProcessUse.processorTime(of: $1.process.identifier)) }
  }

  // MARK: Questions

  /// Forgets what has happened.
  func forget() async throws {
    for part in parts { try Self.send(part, "forget") }
    for part in parts { try await Self.read(part, "done") }
  }

  /// Waits until something has happened to all, or the time is over.
  func wait(for event: CrowdTimes.Event, seconds: Int) async throws {
    for part in parts { try Self.send(part, "wait \(event.rawValue) \(part.count) \(seconds)") }
    for part in parts { try await Self.read(part, "done") }
  }

  /// The times of what happened, in microseconds of `CrowdTimes`, in their order.
  func times(of event: CrowdTimes.Event) async throws -> [Int] {
    var times: [Int] = []
    for part in parts {
      try Self.send(part, "list \(event.rawValue)")
      times += try await Self.read(part).split(separator: " ").compactMap { Int($0) }
    }
    return times.sorted()
  }

  private static func send(_ part: Part, _ line: String) throws {
    try part.process.input?.write(contentsOf: Data((line + "\n").utf8))
  }

  @discardableResult
  private static func read(_ part: Part, _ expected: String? = nil) async throws -> String {
    var lines = part.lines.makeAsyncIterator()
    guard let line = await lines.next(), expected == nil || line == expected else {
      throw MeasuredServer.Failure(description: "a process of the crowd has ended")
    }
    return line
  }

  /// The lines of a process, read on a thread of their own.
  private static func lines(of process: SpawnedProgram) -> AsyncStream<String> {
    let (lines, feed) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      var rest = Data()
      while let data = process.output?.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 10) {
          feed.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      feed.finish()
    }
    return lines
  }
}
#endif
