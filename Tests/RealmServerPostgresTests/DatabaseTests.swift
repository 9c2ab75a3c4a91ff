// SPDX-License-Identifier: Apache-2.0

// The connections that calls share.

#if Postgres
import Foundation
import RealmStorage
import Synchronization
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct DatabaseTests {
  /// Makes connections that notice what must not be done with them.
  private final class Connector: DatabaseConnector {
    fileprivate let links = Locked<[Link]>([])
    fileprivate let problems = Locked<Set<String>>([])
    fileprivate let callCount = Atomic(0)

    func connect() throws(DatabaseError) -> any DatabaseLink {
      let link = Link(self)
      links.withLock { $0.append(link) }
      return link
    }

    /// The error of the call that is made now.
    fileprivate func nextError() -> DatabaseError? {
      let number = callCount.add(1, ordering: .relaxed).newValue
      if number.isMultiple(of: 17) { return .lost("a test broke the connection") }
      return number.isMultiple(of: 5) ? .refused(code: "22012", "a test refuses") : nil
    }
  }

  private final class Link: DatabaseLink {
    private let connector: Connector
    private let isUsed = Atomic(false)
    private let isOver = Atomic(false)
    fileprivate let isClosed = Atomic(false)

    init(_ connector: Connector) { self.connector = connector }

    fileprivate var isOpenInVain: Bool {
      isOver.load(ordering: .relaxed) && !isClosed.load(ordering: .relaxed)
    }

    private func report(_ problem: String) {
      connector.problems.withLock { _ = $0.insert(problem) }
    }

    func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
      if isUsed.exchange(true, ordering: .sequentiallyConsistent) { report("two calls at a time") }
      defer { isUsed.store(false, ordering: .sequentiallyConsistent) }
      if isOver.load(ordering: .relaxed) { report("a call after an error") }
      if isClosed.load(ordering: .relaxed) { report("a call after the end") }
      if let error = connector.nextError() {
        isOver.store(true, ordering: .relaxed)
        throw error
      }
      return calls.map { _ in [] }
    }

    func messages(within milliseconds: Int) -> [String] { [] }

    func close() { isClosed.store(true, ordering: .relaxed) }
  }

  /// `Database` 1, `PostgresLink` 1
  @Test func aConnectionHasOneCallAtATimeAndNoneAfterAnError() throws {
    let connector = Connector()
    let database = Database(connector, PostgresSettings())
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      for _ in 0..<200 {
        _ = try? database.using { (link) throws(DatabaseError) in
          _ = try link.run([Statements.begin()])
          _ = try link.run([Statements.commit()])
        }
      }
    }
    expectEqual(connector.problems.withLock { $0 }, [])
    let links = connector.links.withLock { $0 }
    // They are used again as long as nothing happens to them.
    expectTrue(links.count < connector.callCount.load(ordering: .relaxed) / 2)
    expectTrue(!links.contains { $0.isOpenInVain })
    database.closeIdle()
    expectTrue(links.allSatisfy { $0.isClosed.load(ordering: .relaxed) })
  }

  /// `Database` 1: a call within a call has a connection of its own.
  @Test func aCallWithinACallHasAnotherConnection() throws {
    let database = Database(Connector(), PostgresSettings())
    for _ in 0..<2 {
      try database.using { (outer) throws(DatabaseError) in
        try database.using { (inner) throws(DatabaseError) in expectTrue(inner !== outer) }
      }
    }
  }
}
#endif
