// SPDX-License-Identifier: Apache-2.0

// A port whose connections get no answer.

#if Postgres
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A socket that listens on the loopback address, and accepts nothing.
final class SilentPort: Sendable {
  let port: UInt16
  private let descriptor: CInt

  init?() {
    #if canImport(Glibc)
    let kind = CInt(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let opened = socket(AF_INET, kind, 0)
    guard opened >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(opened, address, size) == 0 && listen(opened, 4) == 0
          && getsockname(opened, address, &size) == 0
      }
    }
    (descriptor, port) = (opened, UInt16(bigEndian: address.sin_port))
    if !isListening { return nil }
  }

  deinit { close(descriptor) }
}
#endif
