// SPDX-License-Identifier: Apache-2.0

// A connection through the network of a storm.
//
// Invariants:
// 1. Both sockets are closed once, when both directions have ended, and not used after that: their
//    numbers may be those of others by then.

#if Server
import Foundation
import Synchronization

/// A connection of a device and the one that it leads to, with a thread for each direction.
final class ProxiedConnection: Sendable {
  private let device: Socket
  private let server: Socket
  private let openDirections = Mutex(2)
  private let pass: @Sendable (_ towardsServer: Bool) -> Void

  /// - Parameter pass: Returns when what has come may go on.
  init(
    device: Socket, server: Socket, pass: @escaping @Sendable (_ towardsServer: Bool) -> Void
  ) {
    self.device = device
    self.server = server
    self.pass = pass
  }

  /// Passes on what comes until both directions have ended.
  ///
  /// - Parameter atEnd: Called at the end, on any thread.
  func start(atEnd: @escaping @Sendable () -> Void) {
    for (source, target, towardsServer) in [(device, server, true), (server, device, false)] {
      Thread.detachNewThread { [self] in
        while case let bytes = source.received(), !bytes.isEmpty {
          pass(towardsServer)
          guard target.send(bytes) else {
            // Without a reader the sender has to learn that it is alone.
            source.cut()
            break
          }
        }
        target.endSending()
        let isLast = openDirections.withLock { count in
          count -= 1
          // Invariant 1
          if count == 0 {
            device.close()
            server.close()
          }
          return count == 0
        }
        if isLast { atEnd() }
      }
    }
  }

  /// Ends it in both directions.
  func cut() { use { [device, server] in for socket in [device, server] { socket.cut() } } }

  /// Ends one direction.
  func halfClose(towardsServer: Bool) {
    use { [device, server] in (towardsServer ? server : device).endSending() }
  }

  private func use(_ work: () -> Void) {
    openDirections.withLock { if $0 > 0 { work() } }
  }
}
#endif
