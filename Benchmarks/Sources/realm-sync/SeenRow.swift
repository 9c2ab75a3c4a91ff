// SPDX-License-Identifier: Apache-2.0

// How long it takes until a write of one client is seen by another.

#if Server
import RealmStorage
import RealmSync
import RealmSyncProtocol
import Synchronization

extension ServerRow {
  /// Two clients with files; one writes, at intervals in which nothing happens, and the time from
  /// the beginning of its transaction until the other's file shows the change is measured.
  static var seen: ServerRow {
    ServerRow(name: "seen") { options, print in
      try await forEachServer(options) { server in
        let times = Percentiles(try await seenTimes(server))
        print("\(server.title): \(times)")
      }
    }
  }

  private static func seenTimes(_ server: MeasuredServer) async throws -> [Double] {
    let writer = try MeasuredDevice(server.folder + "/writer.realm", server)
    let reader = try MeasuredDevice(server.folder + "/reader.realm", server)
    try await writer.download()
    try await reader.download()
    let (versions, news) = AsyncStream.makeStream(of: Void.self)
    let listener = try reader.agent.file.onNewVersion { _ in news.yield() }
    defer { listener.cancel() }
    var next = versions.makeAsyncIterator()
    var times: [Double] = []
    for number in 0..<510 {
      // Not in step with any timer of either side.
      try await Task.sleep(for: .microseconds(13_000 + number * 7_919 % 11_000))
      let start = ContinuousClock.now
      try writer.setAge(Int64(number), of: 1)
      while try reader.age(of: 1) != Int64(number) { await next.next() }
      let time = ContinuousClock.now - start
      if number >= 10 { times.append(time.inSeconds) }
    }
    await writer.close()
    await reader.close()
    return times
  }
}
#endif
