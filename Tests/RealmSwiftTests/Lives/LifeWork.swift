// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables

@testable import RealmSession
@testable import RealmSwift

/// The edits of a transaction, and what is there after it.
struct LifeWork: Sendable {
  private let base: LifeVersion
  private let edits: [LifeEdit]
  private let age: LifeAge
  private let log: LifeLog
  let result: LifeVersion

  init(_ base: LifeVersion, _ edits: [LifeEdit], _ age: LifeAge, _ log: LifeLog) {
    (self.base, self.edits, self.age, self.log) = (base, edits, age, log)
    var result = base.begun()
    for edit in edits { result.apply(edit, in: age) }
    self.result = result
  }

  /// The edits as two transactions.
  var firstHalf: LifeWork { LifeWork(base, Array(edits.prefix(edits.count / 2)), age, log) }
  var secondHalf: LifeWork {
    LifeWork(firstHalf.result, Array(edits.dropFirst(edits.count / 2)), age, log)
  }

  /// Does it in an open transaction, which shows it, and notes what is about to be committed.
  ///
  /// - Parameter place: Where it is done, if that keeps anything.
  func perform(_ realm: Realm, in place: LifePlace? = nil) throws {
    for edit in edits { age.classes.apply(edit, to: realm) }
    let expected = result.state.visible(in: age)
    let state = age.classes.state(of: realm)
    if state != expected {
      throw LifeFailure("in its transaction: \(state.differences(from: expected))")
    }
    try place?.checkKept(expected)
    guard let transaction = realm.core.transaction else {
      throw LifeFailure("no transaction is open")
    }
    log.note(transaction.transaction.version, result)
  }
}

/// An actor that writes.
actor LifeActor {
  func write(_ configuration: Realm.Configuration, _ work: LifeWork) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    try await realm.asyncWrite { try work.perform(realm) }
  }
}
