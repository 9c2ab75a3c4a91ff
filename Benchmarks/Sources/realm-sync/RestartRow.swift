// SPDX-License-Identifier: Apache-2.0

// What a server has to do that ten thousand devices come back to.

#if Server
import Foundation

extension ServerRow {
  /// The server of a crowd is killed and started again after some seconds: how many connections it
  /// is asked for, how long it takes until all devices are back, and what that takes of it.
  static var restart: ServerRow {
    ServerRow(name: "restart") { options, print in
      for store in options.stores {
        for mode in options.modes {
          let killed = try await MeasuredServer.start(mode, store)
          try await killed.load(SyncRow.persons(1_000))
          let crowd = try await Crowd(killed, options)
          defer { crowd.end() }
          try await rest(killed)
          try await crowd.forget()
          try await killed.stopAndWait()
          try await Task.sleep(for: .seconds(options.downSeconds))
          let start = CrowdTimes.now
          let server = try killed.startAgain()
          defer { server.stop() }
          let (listening, peak) = (CrowdTimes.now, MemoryPeak(server))
          try await crowd.wait(for: .back, seconds: 600)
          let processor = try server.processorTime()
          let memory = await peak.end()
          let back = try await crowd.times(of: .back)
          guard let last = back.last else {
            throw MeasuredServer.Failure(description: "no device came back")
          }
          let attempts = try await crowd.times(of: .attempt)
          let opened = try await crowd.times(of: .opened)
          print(
            """
            \(server.title): \(back.count) of \(crowd.count) back in \
            \(seconds(last - listening)) s (half in \
            \(seconds(back[back.count / 2] - listening)) s) after \(options.downSeconds) s away, \
            listening after \(seconds(listening - start)) s; attempts \
            \(attempts.filter { $0 < start }.count) while it was away and \
            \(attempts.filter { $0 >= start }.count) since, at most \(rate(attempts, from: start)) \
            in a second; at most \(rate(opened, from: start)) opened in a second; \
            \(memory >> 20) MiB at most, \(processor.inMilliseconds) ms of processor time
            """)
        }
      }
    }
  }

  private static func seconds(_ microseconds: Int) -> String {
    String(format: "%.1f", Double(microseconds) / 1e6)
  }

  /// The most times in one second, of those from one on.
  private static func rate(_ times: [Int], from start: Int) -> Int {
    let times = times.filter { $0 >= start }
    var (first, most) = (0, 0)
    for (index, time) in times.enumerated() {
      while times[first] <= time - 1_000_000 { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }
}
#endif
