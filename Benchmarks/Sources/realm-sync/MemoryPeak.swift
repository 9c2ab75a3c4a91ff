// SPDX-License-Identifier: Apache-2.0

// The greatest memory of a server in a time.

#if Server
/// Reads the memory of a server fifty times in a second.
struct MemoryPeak {
  private let reading: Task<Int, Never>

  init(_ server: MeasuredServer) {
    reading = Task {
      var greatest = 0
      while !Task.isCancelled {
        greatest = max(greatest, (try? server.residentByteCount()) ?? 0)
        try? await Task.sleep(for: .milliseconds(20))
      }
      return greatest
    }
  }

  /// Ends the readings. Returns the greatest, in bytes.
  func end() async -> Int {
    reading.cancel()
    return await reading.value
  }
}
#endif
