// SPDX-License-Identifier: Apache-2.0

// The memory that the server has freed, which goes back to the system after a burst.
//
// Invariants:
// 1. Nothing is given back while memory grows, nor again before much more is free than was left
//    after the last time: what was free and could not be given back then cannot now.

#if Server
import RealmStorage
import ServiceLifecycle

/// Gives free memory back to the system.
struct MemoryService: Service {
  /// The time between two looks at the memory.
  private static let interval = Duration.seconds(1)

  private let keeper = MemoryKeeper()

  func run() async throws {
    ProcessMemory.keepLittleFreed()
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.interval)
        await keeper.look()
      }
    }
  }
}

/// Does so on a thread of its own, as other threads wait for the allocator meanwhile.
private actor MemoryKeeper {
  private nonisolated let thread = ThreadExecutor(named: "realm-memory")
  private var rule = MemoryRule()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  func look() {
    guard rule.releases(at: .current) else { return }
    ProcessMemory.releaseFreed()
    rule.didRelease(to: .current)
  }
}

/// Decides when free memory is given back.
struct MemoryRule {
  /// The free bytes that are kept.
  static let keptByteCount = 24 << 20

  private var last = ProcessMemory(used: 0, held: 0)
  /// What was free after the last time. What was used then may be free now.
  private var floor = 0

  /// Takes a look at the memory. Returns whether what is free should be given back now.
  mutating func releases(at memory: ProcessMemory) -> Bool {
    defer { last = memory }
    floor = min(floor, memory.free)
    // `MemoryService` 1
    return memory.free > floor + Self.keptByteCount
      && memory.used <= last.used + Self.keptByteCount / 4
  }

  /// Notes what is left.
  mutating func didRelease(to memory: ProcessMemory) {
    last = memory
    floor = memory.free
  }
}
#endif
