// SPDX-License-Identifier: Apache-2.0

// The room for what UPLOADs unpack to, of all users together.

#if Server
import RealmServerEngine
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

struct UploadRoomsTests {
  /// The connections of users, and the order in which their UPLOADs have got room.
  private final class Bench {
    let budget: MemoryBudget
    private var shares: [String: MemoryBudget.Share] = [:]
    private let found = Locked<[String]>([])

    /// - Parameter megabytes: The limit of the process: an eighth of it is for UPLOADs.
    init(megabytes: Int) { budget = MemoryBudget(byteCount: megabytes << 20) }

    func share(_ user: String, at address: String) -> MemoryBudget.Share {
      let name = "\(user) \(address)"
      if let share = shares[name] { return share }
      let share = budget.share(address: address)
      share.setUser(user)
      shares[name] = share
      return share
    }

    func take(_ megabytes: Int, _ user: String, _ session: UInt64, at address: String? = nil) {
      share(user, at: address ?? user).takeUploadRoom(megabytes << 20, for: session) {
        [found] in found.withLock { $0.append("\(user)\(session)") }
      }
    }

    func giveBack(_ user: String, _ session: UInt64, at address: String? = nil) {
      share(user, at: address ?? user).giveUploadRoomBack(of: session)
    }

    func forget(_ user: String, at address: String) { shares["\(user) \(address)"] = nil }

    /// Those who have got room since the last call.
    func taken() -> [String] {
      found.withLock { found in
        defer { found = [] }
        return found
      }
    }
  }

  /// `UploadRooms` 1 and 2
  @Test func oneLargeUploadOfAUserAtATime() {
    let bench = Bench(megabytes: 1_024)
    for session: UInt64 in 1...4 { bench.take(16, "a", session) }
    bench.take(16, "b", 1)
    expectEqual(bench.taken(), ["a1", "b1"])
    bench.giveBack("a", 1)
    expectEqual(bench.taken(), ["a2"])
    // One that waits ends, and so does its wait.
    bench.giveBack("a", 3)
    bench.giveBack("a", 2)
    expectEqual(bench.taken(), ["a4"])
    bench.giveBack("a", 4)
    bench.giveBack("b", 1)
    expectEqual(bench.budget.uploads.byteCount, 0)
    expectEqual(bench.budget.uploads.waitingCount, 0)
  }

  /// `UploadRooms` 2: several small ones go together, and none passes a large one of its user.
  @Test func smallUploadsOfAUserGoTogether() {
    let bench = Bench(megabytes: 1_024)
    bench.take(4, "a", 1)
    bench.take(4, "a", 2)
    bench.take(12, "a", 3)
    bench.take(1, "a", 4)
    expectEqual(bench.taken(), ["a1", "a2"])
    bench.giveBack("a", 1)
    expectEqual(bench.taken(), ["a3"])
    bench.giveBack("a", 2)
    expectEqual(bench.taken(), ["a4"])
  }

  /// `UploadRooms` 1: the limit of the process is less than one UPLOAD here.
  @Test func theFirstHasRoomWhateverItsSize() {
    let bench = Bench(megabytes: 64)
    bench.take(16, "a", 1)
    bench.take(16, "b", 1)
    expectEqual(bench.taken(), ["a1"])
    bench.giveBack("a", 1)
    expectEqual(bench.taken(), ["b1"])
  }

  /// `UploadRooms` 3
  @Test func whoWaitsForTheProcessIsNotPassed() {
    // 32 for all, 16 for an address.
    let bench = Bench(megabytes: 256)
    bench.take(10, "a", 1)
    bench.take(10, "b", 1)
    bench.take(14, "c", 1)
    bench.take(1, "d", 1)
    expectEqual(bench.taken(), ["a1", "b1"])
    bench.giveBack("a", 1)
    expectEqual(bench.taken(), ["c1", "d1"])
    // An UPLOAD waiting for its own user delays no other user.
    bench.take(16, "c", 2)
    bench.take(2, "e", 1)
    expectEqual(bench.taken(), ["e1"])
  }

  @Test func usersOfAnAddressShareItsRoom() {
    let bench = Bench(megabytes: 256)
    bench.take(10, "a", 1, at: "x")
    bench.take(10, "b", 1, at: "x")
    bench.take(10, "c", 1, at: "y")
    expectEqual(bench.taken(), ["a1", "c1"])
    // A connection that is forgotten gives all back.
    bench.forget("a", at: "x")
    expectEqual(bench.taken(), ["b1"])
  }

  /// Who gets room may ask and give back at once.
  /// `UploadRooms` 4
  @Test func roomIsFoundWhileNoLockIsHeld() {
    let bench = Bench(megabytes: 1_024)
    let (share, rooms) = (bench.share("a", at: "a"), bench.budget.uploads)
    let found = Locked<[Int]>([])
    for session: UInt64 in 1...3 {
      share.takeUploadRoom(16 << 20, for: session) {
        found.withLock { $0.append(rooms.waitingCount) }
        if session > 1 { share.giveUploadRoomBack(of: session) }
      }
    }
    expectEqual(found.withLock { $0 }, [0])
    // The second one gives back what it gets, and so the third one has room.
    share.giveUploadRoomBack(of: 1)
    expectEqual(found.withLock { $0 }, [0, 1, 0])
    expectEqual(rooms.byteCount, 0)
  }

  /// What waits is counted as messages are, and room for UPLOADs is counted apart.
  /// `MemoryBudget` 5
  @Test func roomForUploadsMakesMemoryNotTight() {
    let bench = Bench(megabytes: 64)
    bench.take(16, "a", 1)
    expectEqual(bench.budget.byteCount, 0)
    expectFalse(bench.share("a", at: "a").hold(1))
    expectEqual(bench.budget.uploads.byteCount, 16 << 20)
  }

  /// Limits hold after each step, and all get room in the end.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyoneGetsRoomInTheEnd(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rooms = UploadRooms(byteCount: 40)
    let shares = (0..<3).map { _ in MemoryBudget(byteCount: 1).share(address: "") }
    let found = Locked<Set<Int>>([])
    var (open, ended): ([Int: Int], Set<Int>) = ([:], [])
    func holder(_ index: Int) -> UploadRooms.Holder {
      .init(share: ObjectIdentifier(shares[index % 3]), session: UInt64(index))
    }
    for index in 0..<200 {
      let count = random.pick([1, 5, 16, 30, 50])
      open[index] = count
      rooms.take(
        count,
        MemoryBudget.Payer(
          address: random.pick(["x", "y"]), user: random.pick([nil, "a", "b", "c"])),
        for: holder(index)
      ) { found.withLock { _ = $0.insert(index) } }
      let present = found.withLock { $0 }.subtracting(ended)
      let taken = present.reduce(0) { $0 + open[$1, default: 0] }
      expectEqual(taken, rooms.byteCount)
      expectTrue(taken <= 40 || present.count == 1, "\(taken)")
      guard random.percent(60), let gone = open.keys.sorted().randomElement(using: &random) else {
        continue
      }
      ended.insert(gone)
      open[gone] = nil
      rooms.giveBack(holder(gone))
    }
    while let first = found.withLock({ $0 }).subtracting(ended).min() {
      ended.insert(first)
      open[first] = nil
      rooms.giveBack(holder(first))
    }
    expectEqual(open, [:])
    expectEqual(rooms.byteCount, 0)
    expectEqual(rooms.waitingCount, 0)
    withExtendedLifetime(shares) {}
  }
}
#endif
