// SPDX-License-Identifier: Apache-2.0

// The connection breaks at each statement of a change of records, before it and after it.

#if Postgres
import RealmServerEngine
import RealmServerServices
import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct RecordFaultTests {
  /// Records of two servers, with a count that is 1.
  private struct Case {
    let bench: StoreBench
    let connector: FaultyConnector
    let records: any RecordStore
    let other: any RecordStore

    /// - Parameter isLate: Whether another server is first with something else, so that the body of
    ///   the next change runs twice.
    init(_ kind: StoreKind, patience: Int, isLate: Bool) throws {
      bench = try StoreBench(kind, patience: patience)
      connector = try #require(bench.connector)
      records = try bench.records(kind)
      other = try bench.records(kind, server: 1)
      try records.change { (group) throws(StorageError) in
        _ = try ThingRecords.make(in: group)
        try ThingRecords.count("x", in: group)
        return true
      }
      guard isLate else { return }
      try other.change { (group) throws(StorageError) in
        try ThingRecords.note("n", 1, in: group)
        return true
      }
    }

    /// Adds 1 while the connection breaks at a statement.
    func count(
      failingAt number: Int, _ point: FaultyConnector.Point
    ) -> (outcome: Result<Void, StoreError>, wasReached: Bool) {
      connector.fail(at: number, point)
      let outcome = Result { () throws(StoreError) in
        try records.change { (group) throws(StorageError) in
          try ThingRecords.count("x", in: group)
          return true
        }
      }
      defer { connector.fail(at: nil) }
      return (outcome, connector.count >= number)
    }

    func counts() throws -> [Int64?] {
      try [records, other].map { try ThingRecords.content(of: $0).things["x"]?.count }
    }
  }

  /// `RecordStore` 1: each change counts once.
  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func aBrokenConnectionIsMendedWithoutTheCaller(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) throws {
    var number = 1
    while true {
      let test = try Case(kind, patience: 60_000, isLate: true)
      let (outcome, wasReached) = test.count(failingAt: number, point)
      try outcome.get()
      try expectEqual(test.counts(), [2, 2], "statement \(number)")
      guard wasReached else { break }
      number += 1
    }
    expectTrue(number > 8)
  }

  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func aChangeIsWholeOrUndoneWhereNothingIsTriedAgain(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) throws {
    var number = 1
    var outcomes: Set<Bool> = []
    while true {
      let test = try Case(kind, patience: 0, isLate: false)
      let (outcome, wasReached) = test.count(failingAt: number, point)
      let counts = try test.counts()
      expectTrue(counts == [1, 1] || counts == [2, 2], "statement \(number)")
      switch outcome {
      case .success: #expect(counts == [2, 2], "statement \(number)")
      case .failure(.unavailable): outcomes.insert(counts == [2, 2])
      case .failure(let error): throw error
      }
      // It goes on from what there is.
      let next = test.count(failingAt: 1_000, point)
      try next.outcome.get()
      try expectEqual(test.counts()[1], counts[1].map { $0 + 1 })
      guard wasReached else { break }
      number += 1
    }
    expectTrue(number > 5)
    expectEqual(outcomes, [true, false])
  }
}
#endif
