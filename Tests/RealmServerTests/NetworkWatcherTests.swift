// SPDX-License-Identifier: Apache-2.0

// Changes of the network, as a socket reports them.

#if Server && os(Linux)
import Glibc
import RealmStorage
import TestExtensions
import Testing

@testable import RealmNetworking

@Suite(.timeLimit(.minutes(10))) struct NetworkWatcherTests {
  /// A socket to write changes to, and one that a watcher reads.
  private static func pair() throws -> (writing: CInt, reading: CInt) {
    var descriptors: [CInt] = [0, 0]
    let result = descriptors.withUnsafeMutableBufferPointer {
      socketpair(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0, $0.baseAddress)
    }
    try #require(result == 0)
    return (descriptors[0], descriptors[1])
  }

  private static func change(_ descriptor: CInt) {
    expectEqual(write(descriptor, "change", 6), 6)
  }

  private static func wait(for count: Int, _ counter: Locked<Int>) async throws {
    while counter.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func allObserversHearOfAChange() async throws {
    let (writing, reading) = try Self.pair()
    defer { close(writing) }
    let watcher = NetworkWatcher(delayMilliseconds: 0)
    let (first, second) = (Locked(0), Locked(0))
    watcher.add { first.withLock { $0 += 1 } }
    watcher.add { second.withLock { $0 += 1 } }
    watcher.watch(reading)
    for count in 1...3 {
      Self.change(writing)
      try await Self.wait(for: count, first)
      try await Self.wait(for: count, second)
    }
  }

  @Test func changesThatComeTogetherAreOne() async throws {
    let (writing, reading) = try Self.pair()
    defer { close(writing) }
    let watcher = NetworkWatcher(delayMilliseconds: 500)
    let counter = Locked(0)
    watcher.add { counter.withLock { $0 += 1 } }
    watcher.watch(reading)
    for _ in 0..<50 { Self.change(writing) }
    try await Self.wait(for: 1, counter)
    #expect(counter.withLock { $0 } < 50)
  }

  /// The kernel takes the address, of which Swift has no declaration.
  @Test func theKernelsSocketOpens() throws {
    let descriptor = try #require(NetlinkSocket.open())
    var address = [UInt8](repeating: 0, count: 12)
    var count = socklen_t(address.count)
    let result = address.withUnsafeMutableBytes { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &count)
    }
    expectEqual(result, 0)
    expectEqual(count, 12)
    // AF_NETLINK, and the groups.
    expectEqual(address[..<2], [16, 0])
    expectEqual(address[8...], [0x51, 0x05, 0, 0])
    close(descriptor)
  }
}
#endif
