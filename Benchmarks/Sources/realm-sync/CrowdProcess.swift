// SPDX-License-Identifier: Apache-2.0

// A process with a part of a crowd, which the measuring process starts and asks.

#if Server
import Foundation
import RealmNetworking
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The devices of one process: `realm-sync crowd-process <mode> <address> <count>`.
///
/// It prints `ready` when all are connected, then answers lines of its standard input:
/// `forget` with `done`; `wait <event> <count> <seconds>` with `done` when that has happened to so
/// many or the time is over; `list <event>` with the times, separated by spaces.
enum CrowdProcess {
  /// The first word of the command line.
  static let name = "crowd-process"
  /// The devices that connect at a time.
  private static let rampCount = 50
  private static let devicesPerUser = 100

  static func run(_ words: [String]) async throws {
    guard words.count == 4, let count = Int(words[3]) else {
      throw MeasuredServer.Failure(description: "\(name) needs a mode, an address and a number")
    }
    let mode: SyncMode = words[1] == "partition" ? .partition : .flexible
    let times = CrowdTimes()
    let devices = try await connect(count, mode, address: words[2], times)
    say("ready")
    for await line in lines() {
      say(try await answer(line.split(separator: " ").map(String.init), times))
    }
    withExtendedLifetime(devices) {}
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// The lines of the standard input, read on a thread of their own.
  private static func lines() -> AsyncStream<String> {
    let (lines, feed) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { feed.yield(line) }
      feed.finish()
    }
    return lines
  }

  private static func answer(_ words: [String], _ times: CrowdTimes) async throws -> String {
    let event = words.count > 1 ? CrowdTimes.Event(rawValue: words[1]) : nil
    switch (words.first, event) {
    case ("forget", nil):
      times.removeAll()
      return "done"
    case ("wait", let event?) where words.count == 4:
      let end = ContinuousClock.now + .seconds(Int(words[3]) ?? 0)
      let count = Int(words[2]) ?? 0
      while times.count(event) < count, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(20))
      }
      return "done"
    case ("list", let event?):
      return times.all(event).map(String.init).joined(separator: " ")
    default: throw MeasuredServer.Failure(description: "\(name) does not know \(words)")
    }
  }

  /// Connects devices, few at a time.
  private static func connect(
    _ count: Int, _ mode: SyncMode, address: String, _ times: CrowdTimes
  ) async throws -> [ClientDriver] {
    // All sessions have it, and none uses it.
    let agent = try SyncAgent(
      DatabaseFile.open(
        path: "/crowd.realm", options: OpenOptions(isInMemory: true, history: .syncClient)))
    let query = QueryDocument(queries: ["Person": "_id == 1"])
    let settings = SessionSettings(partition: mode == .partition ? "\"home\"" : nil)
    var authority: UserAuthority?
    var devices: [ClientDriver] = []
    for number in 0..<count {
      if authority == nil || number % devicesPerUser == 0 {
        let client = AppClient(
          forgetting: AppSettings(id: "app", baseURL: address), transport: ClientTransport.shared)
        authority = UserAuthority(client, try await client.logIn(.anonymous))
      }
      guard let authority else { continue }
      let environment = CrowdEnvironment(
        mode, authority, mode == .flexible ? query : nil, times)
      let device = ClientDriver(ClientMachine(mode: mode), environment: environment) { event in
        if event == .changed(.connected) { times.add(.opened) }
      }
      _ = try device.begin(agent, settings)
      devices.append(device)
      while times.count(.back) + rampCount < devices.count {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    while times.count(.back) < count { try await Task.sleep(for: .milliseconds(20)) }
    return devices
  }
}
#endif
