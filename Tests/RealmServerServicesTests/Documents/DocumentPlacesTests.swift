// SPDX-License-Identifier: Apache-2.0

// Who gets a thread for a search, and who waits.

#if Server
import RealmFormats
import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentPlacesTests {
  /// Asks for places one after the other, and notes who gets them.
  private final class Line: Sendable {
    let places = DocumentPlaces(runningPerUser: 2)
    let running = Locked<[(user: String?, place: DocumentPlaces.Place)]>([])
    private let refusedCount = Locked(0)

    var users: [String?] { running.withLock { $0.map(\.user) } }
    var refused: Int { refusedCount.withLock { $0 } }

    /// Begins a call, and returns once it runs or waits.
    func begin(_ user: String?) async {
      let (count, waiting) = (users.count, places.waitingCount)
      Task {
        guard let place = await places.begin(user) else {
          return refusedCount.withLock { $0 += 1 }
        }
        running.withLock { $0.append((user, place)) }
      }
      while users.count == count, places.waitingCount == waiting { await Task.yield() }
    }

    /// Ends the first call that runs, and waits until so many run.
    func end(_ user: String?, leaving count: Int) async {
      let place = running.withLock { running -> DocumentPlaces.Place? in
        guard let index = running.firstIndex(where: { $0.user == user }) else { return nil }
        return running.remove(at: index).place
      }
      if let place { places.end(place) }
      while users.count != count { await Task.yield() }
    }
  }

  /// `DocumentPlaces` 1 and 2
  @Test func whoSendsManyCallsWaitsForItsOwn() async {
    let line = Line()
    for _ in 0..<6 { await line.begin("a") }
    expectEqual(line.users, ["a", "a"])
    await line.begin("b")
    expectEqual(line.users, ["a", "a", "b"])
    await line.begin("b")
    await line.begin("c")
    // The program has a thread of its own, and no other.
    await line.begin(nil)
    await line.begin(nil)
    expectEqual(line.users, ["a", "a", "b", nil])
    // Users take turns, whoever waits for long.
    await line.end("a", leaving: 4)
    expectEqual(line.users, ["a", "b", nil, "a"])
    await line.end("b", leaving: 4)
    expectEqual(line.users, ["a", nil, "a", "b"])
    await line.end("a", leaving: 4)
    expectEqual(line.users, [nil, "a", "b", "c"])
    await line.end(nil, leaving: 4)
    expectEqual(line.users, ["a", "b", "c", nil])
    expectEqual(line.places.waitingCount, 3)
  }

  /// `DocumentPlaces` 3
  @Test func theEndIsForThoseWhoWaitToo() async {
    let line = Line()
    for _ in 0..<4 { await line.begin("a") }
    line.places.end()
    expectTrue(line.places.hasEnded)
    while line.refused < 2 { await Task.yield() }
    expectTrue(await line.places.begin("b") == nil)
    await line.end("a", leaving: 1)
    expectEqual(line.places.waitingCount, 0)
  }

  @Test func aUserHasALimitOfCalls() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(callsPerUser: 0))
    await expectEqual(
      bench.refusal("find", #""query":{}"#),
      "InternalServerError: the server is busy; try again later")
    // Those of the program are its own.
    let arguments = BSONArguments.find
    _ = try await bench.service.call("find", [arguments], user: nil)
  }
}

private enum BSONArguments {
  static let find = BSONValue.document([
    BSONElement("database", .string("db")), BSONElement("collection", .string("Thing")),
  ])
}
#endif
