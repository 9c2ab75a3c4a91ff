// SPDX-License-Identifier: Apache-2.0

// Accounts whose sum never changes, and a journal of all transfers between them. The journal shows
// whether a history of transactions was serialisable.

import RealmStorage
import RealmSwift
import RealmTestSupport
import Synchronization
import Testing

class StressAccount: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var balance: Int
}

class StressEntry: Object {
  /// How many transfers there were before.
  @Persisted var sequence: Int
  /// The number of the operation that made the transfer.
  @Persisted(indexed: true) var operation: Int
  @Persisted var from: Int
  @Persisted var to: Int
  @Persisted var amount: Int
  @Persisted var fromBefore: Int
  @Persisted var toBefore: Int
}

/// What the operations of a run did, and what they must find.
final class StressLedger: Sendable {
  static let accountCount = 6
  static let openingBalance = 1000

  private struct State {
    /// Operations whose block ran to its end and that have to be in the journal.
    var committed: Set<Int> = []
    /// Operations that must not be.
    var absent: Set<Int> = []
    var problems: [String] = []
    var lastOperation = 0
  }

  private let state = Locked(State())
  private let openCount = Atomic(0)

  func makeOperation() -> Int {
    state.withLock { state in
      state.lastOperation += 1
      return state.lastOperation
    }
  }

  func noteCommitted(_ operation: Int) {
    state.withLock { _ = $0.committed.insert(operation) }
  }

  func noteAbsent(_ operation: Int) { state.withLock { _ = $0.absent.insert(operation) } }

  func note(_ problem: String) {
    state.withLock { if $0.problems.count < 10 { $0.problems.append(problem) } }
  }

  var problems: [String] { state.withLock { $0.problems } }

  // MARK: In a transaction

  static func prepare(_ realm: Realm) throws {
    try realm.write {
      for id in 0..<accountCount {
        realm.create(StressAccount.self, value: ["id": id, "balance": openingBalance])
      }
    }
  }

  /// Moves money and writes that down.
  func transfer(_ realm: Realm, _ operation: Int, _ random: inout SeededGenerator) {
    if openCount.add(1, ordering: .sequentiallyConsistent).newValue != 1 {
      note("two transactions were open at once")
    }
    if !realm.isInWriteTransaction { note("\(operation) ran without a transaction") }
    let from = Int.random(in: 0..<Self.accountCount, using: &random)
    let to = (from + Int.random(in: 1..<Self.accountCount, using: &random)) % Self.accountCount
    let amount = Int.random(in: 1...50, using: &random)
    guard let source = realm.object(ofType: StressAccount.self, forPrimaryKey: from),
      let target = realm.object(ofType: StressAccount.self, forPrimaryKey: to)
    else { return note("an account is missing") }
    realm.create(
      StressEntry.self,
      value: [
        "sequence": realm.objects(StressEntry.self).count, "operation": operation, "from": from,
        "to": to, "amount": amount, "fromBefore": source.balance, "toBefore": target.balance,
      ])
    source.balance -= amount
    target.balance += amount
    openCount.subtract(1, ordering: .sequentiallyConsistent)
  }

  // MARK: Outside

  /// Checks that a realm shows a state between transactions.
  ///
  /// - Returns: How many transfers it shows.
  @discardableResult
  func inspect(_ realm: Realm, atLeast known: Int = 0) -> Int {
    let count = realm.objects(StressEntry.self).count
    let accounts = Array(realm.objects(StressAccount.self))
    let sum = accounts.reduce(0) { $0 + $1.balance }
    if sum != Self.accountCount * Self.openingBalance { note("the sum was \(sum)") }
    if count < known { note("\(count) transfers were shown after \(known)") }
    if let last = realm.objects(StressEntry.self).where({ $0.sequence == count - 1 }).first {
      let target = accounts.first { $0.id == last.to }
      if target?.balance != last.toBefore + last.amount { note("the last transfer is torn") }
    } else if count > 0 {
      note("the last of \(count) transfers is missing")
    }
    return count
  }

  /// Replays the journal and compares it with what the operations know.
  func audit(_ realm: Realm) {
    var balances = Array(repeating: Self.openingBalance, count: Self.accountCount)
    var found: Set<Int> = []
    for (number, entry) in realm.objects(StressEntry.self).sorted(byKeyPath: "sequence")
      .enumerated()
    {
      if entry.sequence != number { note("transfer \(number) is called \(entry.sequence)") }
      if balances[entry.from] != entry.fromBefore || balances[entry.to] != entry.toBefore {
        note("transfer \(number) did not see the one before")
      }
      balances[entry.from] -= entry.amount
      balances[entry.to] += entry.amount
      if !found.insert(entry.operation).inserted { note("\(entry.operation) took place twice") }
    }
    for account in realm.objects(StressAccount.self) where account.balance != balances[account.id] {
      note("account \(account.id) holds \(account.balance) instead of \(balances[account.id])")
    }
    let (committed, absent) = state.withLock { ($0.committed, $0.absent) }
    for operation in committed.subtracting(found) { note("\(operation) was lost") }
    for operation in found.intersection(absent) { note("\(operation) should not be there") }
    for operation in found.subtracting(committed) { note("\(operation) came from nowhere") }
  }
}

/// A copy of a collection that is kept up to date by nothing but the changes.
final class Replica<Value: Equatable & Sendable>: Sendable {
  private let copy = Locked<[Value]?>(nil)
  private let ledger: StressLedger

  init(_ ledger: StressLedger) { self.ledger = ledger }

  var values: [Value]? { copy.withLock { $0 } }

  func apply<C: RealmCollection>(_ change: RealmCollectionChange<C>, _ read: (C.Element) -> Value) {
    switch change {
    case .initial(let collection):
      let new = Array(collection.map(read))
      copy.withLock { $0 = new }
    case .update(let collection, let deletions, let insertions, let modifications):
      let new = Array(collection.map(read))
      let problem = copy.withLock { copy -> String? in
        guard var values = copy else { return "an update came before the first snapshot" }
        var isOpen = values.indices.map { modifications.contains($0) }
        for index in deletions.reversed() {
          values.remove(at: index)
          isOpen.remove(at: index)
        }
        for index in insertions {
          guard new.indices.contains(index), index <= values.count else {
            return "an insertion is out of bounds"
          }
          values.insert(new[index], at: index)
          isOpen.insert(true, at: index)
        }
        guard values.count == new.count else { return "the changes give another count" }
        for index in values.indices where isOpen[index] { values[index] = new[index] }
        copy = values
        return values == new ? nil : "the changes do not give the collection"
      }
      if let problem { ledger.note(problem) }
    case .error(let error): ledger.note("\(error)")
    }
  }
}
