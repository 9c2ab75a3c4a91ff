// SPDX-License-Identifier: Apache-2.0

// What ten thousand devices cost a server that waits, and how soon they see a write.

#if Server
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport

extension ServerRow {
  private static let writeCount = 10

  /// Devices in processes of at most 5,000 sockets connect and wait; then writes reach all of them,
  /// one after the other. Each device acknowledges what it gets, as an app does.
  static var crowd: ServerRow {
    ServerRow(name: "crowd") { options, print in
      try await forEachServer(options) { server in
        try await server.load(SyncRow.persons(1_000))
        let before = try server.residentByteCount()
        let start = ContinuousClock.now
        let crowd = try await Crowd(server, options)
        defer { crowd.end() }
        let time = ContinuousClock.now - start
        try await rest(server)
        let idle = try server.residentByteCount()
        print(
          "\(server.title): \((idle - before) / crowd.count) bytes a client of \(crowd.count), "
            + "connected in \(time.inMilliseconds) ms; \(before >> 10) KiB before")
        let peak = MemoryPeak(server)
        let use = try server.processorTime()
        var times: [Double] = []
        for number in 0..<writeCount { times += try await seen(server, crowd, Int64(number)) }
        let processor = (try server.processorTime() - use).inSeconds * 1e6
        let (after, most) = (try server.residentByteCount(), await peak.end())
        print(
          "\(server.title): \(times.count) of \(writeCount * crowd.count) saw a write, "
            + "\(Percentiles(times)); \(Int(processor) / max(times.count, 1)) µs of the server's "
            + "processor time each; \((after - before) / crowd.count) bytes a client after, "
            + "\((most - before) / crowd.count) at most")
      }
    }
  }

  /// Writes once. Returns the seconds until each device had the change.
  private static func seen(
    _ server: MeasuredServer, _ crowd: Crowd, _ age: Int64
  ) async throws -> [Double] {
    try await crowd.forget()
    var writer = try await server.protocolClient(QueryDocument())
    let start = CrowdTimes.now
    try await writer.upload([change(of: 1, 500 + age)])
    try await crowd.wait(for: .seen, seconds: 60)
    let times = try await crowd.times(of: .seen).map { Double($0 - start) / 1e6 }
    await writer.socket.close(.normal)
    try await rest(server)
    return times
  }

  /// Waits until the server has nothing to do.
  static func rest(_ server: MeasuredServer) async throws {
    for _ in 0..<60 {
      let before = try server.processorTime()
      try await Task.sleep(for: .seconds(1))
      if try server.processorTime() - before < .milliseconds(60) { return }
    }
  }
}
#endif
