// SPDX-License-Identifier: Apache-2.0

// The kernel's messages about links, addresses and routes.

#if Sync && os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket of `NETLINK_ROUTE`: each message is a change of the network.
enum NetlinkSocket {
  /// The numbers of `linux/netlink.h` and `linux/rtnetlink.h`: they have no Swift module.
  private static let family: UInt16 = 16
  private static let routeProtocol: CInt = 0
  /// Links, and addresses and routes of IPv4 and IPv6.
  private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

  /// The layout of `sockaddr_nl`.
  private struct Address {
    var family = NetlinkSocket.family
    var padding: UInt16 = 0
    var process: UInt32 = 0
    var groups = NetlinkSocket.groups
  }

  /// Opens a socket; nil if the system forbids it.
  static func open() -> CInt? {
    let kind = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(CInt(family), kind, routeProtocol)
    guard descriptor >= 0 else { return nil }
    let address = Address()
    let isBound = unsafe withUnsafeBytes(of: address) { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe bind(
        descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
    }
    if isBound { return descriptor }
    close(descriptor)
    return nil
  }
}
#endif
