// SPDX-License-Identifier: Apache-2.0

// The ports of a storm.

#if Server
import Foundation

/// Free ports below those that the system gives to programs which ask for any: servers come back at
/// the same ones after each kill. Storms that run beside each other have different ones.
struct StormPorts {
  private static let rangeCount = 550
  private static let rangeLength = 20

  private var rest: Range<Int>

  init() {
    let number = Int(ProcessInfo.processInfo.processIdentifier) % Self.rangeCount
    let first = 20_000 + number * Self.rangeLength
    rest = first..<first + 1_000
  }

  /// The next free port, and a socket that listens there.
  mutating func listener() throws -> (port: Int, socket: Socket) {
    while let port = rest.popFirst() {
      if let socket = Socket(listeningAt: port) { return (port, socket) }
    }
    throw StormServer.Failure(description: "No port is free.")
  }

  /// The next free port, for a program.
  mutating func port() throws -> Int {
    let (port, socket) = try listener()
    socket.close()
    return port
  }
}
#endif
