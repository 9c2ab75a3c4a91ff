// SPDX-License-Identifier: Apache-2.0

// Sockets of TCP on the loopback address.

#if Server
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A socket by its number, which is used until `close()` and not after it.
struct Socket {
  let number: Int32

  init(number: Int32) { self.number = number }

  /// A new socket; nil if there are too many.
  private init?() {
    #if canImport(Darwin) || canImport(Musl)
    number = socket(AF_INET, SOCK_STREAM, 0)
    #else
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard number >= 0 else { return nil }
  }

  /// A connection to a port; nil if nothing listens there.
  init?(connectingTo port: Int) {
    self.init()
    guard Self.withAddress(port, { connect(number, $0, $1) }) == 0 else {
      close()
      return nil
    }
    setOption(IPPROTO_TCP, TCP_NODELAY)
  }

  /// A socket that listens at a port; nil if it is taken.
  init?(listeningAt port: Int) {
    self.init()
    setOption(SOL_SOCKET, SO_REUSEADDR)
    guard Self.withAddress(port, { bind(number, $0, $1) }) == 0, listen(number, 64) == 0 else {
      close()
      return nil
    }
  }

  private func setOption(_ level: some BinaryInteger, _ option: Int32) {
    var one: Int32 = 1
    setsockopt(number, Int32(level), option, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func withAddress(
    _ port: Int, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Waits for a connection; nil at the end.
  func accepted() -> Socket? {
    let connection = accept(number, nil, nil)
    guard connection >= 0 else { return nil }
    let socket = Socket(number: connection)
    socket.setOption(IPPROTO_TCP, TCP_NODELAY)
    return socket
  }

  /// Limits the time that `received` waits.
  func limitWaiting(milliseconds: Int) {
    var time = timeval()
    time.tv_sec = .init(milliseconds / 1_000)
    time.tv_usec = .init(milliseconds % 1_000 * 1_000)
    setsockopt(
      number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Waits for bytes. Returns none at the end.
  func received() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      count = max(0, read(number, buffer.baseAddress, buffer.count))
    }
  }

  /// Sends bytes. Returns whether the other side takes them.
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Says that nothing more is sent.
  func endSending() { shutdown(number, Int32(SHUT_WR)) }

  /// Ends both directions. Threads that wait at the socket go on.
  func cut() { shutdown(number, Int32(SHUT_RDWR)) }

  func close() {
    #if canImport(Darwin)
    _ = Darwin.close(number)
    #elseif canImport(Musl)
    _ = Musl.close(number)
    #else
    _ = Glibc.close(number)
    #endif
  }
}
#endif
