// SPDX-License-Identifier: Apache-2.0

// What happened to the devices of a crowd, and when.

#if Server
import Dispatch
import Synchronization

/// The times of what happened, in microseconds since the machine started: one clock for all
/// processes.
final class CrowdTimes: Sendable {
  /// Something that happens to a device.
  enum Event: String, CaseIterable, Sendable {
    /// It begins to open a connection.
    case attempt
    /// The connection is open.
    case opened
    /// Its first DOWNLOAD on the connection has come.
    case back
    /// A DOWNLOAD with a change has come.
    case seen
  }

  private let times = Mutex<[Event: [Int]]>([:])

  static var now: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000) }

  func add(_ event: Event) {
    let now = Self.now
    times.withLock { $0[event, default: []].append(now) }
  }

  /// Forgets what has happened.
  func removeAll() { times.withLock { $0 = [:] } }

  func count(_ event: Event) -> Int { times.withLock { $0[event]?.count ?? 0 } }

  func all(_ event: Event) -> [Int] { times.withLock { $0[event] ?? [] } }
}
#endif
