// SPDX-License-Identifier: Apache-2.0

// A place of the program that has a realm of its own.

import Dispatch
import RealmTables

@testable import RealmSession
@testable import RealmSwift

/// A queue with its realm, and with what code there keeps.
final class LifePlace {
  let queue: DispatchQueue
  private let log: LifeLog
  /// Whether the realm follows the file by itself.
  private let follows: Bool
  private var realm: Realm?
  private var kept: (() -> LifeKept)?
  var observers: [LifeObserver] = []
  var frozen: [LifeFrozen] = []

  init(_ number: Int, _ log: LifeLog) {
    queue = DispatchQueue(label: "place \(number)")
    self.log = log
    follows = number > 0
  }

  deinit { close() }

  /// Runs `body` where the realm lives.
  func run<Result>(_ body: (Realm) throws -> Result) throws -> Result {
    try queue.sync {
      guard let realm else { throw LifeFailure("there is no realm") }
      return try body(realm)
    }
  }

  func open(_ configuration: Realm.Configuration, _ age: LifeAge) throws {
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      realm.autorefresh = follows
      kept = age.classes.keepResults(realm)
      self.realm = realm
    }
  }

  func close() {
    queue.sync {
      for observer in observers { observer.stop() }
      observers = []
      frozen = []
      kept = nil
      realm = nil
    }
  }

  func invalidate(_ age: LifeAge) throws {
    try run { realm in
      for observer in observers { observer.stop() }
      observers = []
      realm.invalidate()
      kept = age.classes.keepResults(realm)
    }
  }

  /// Moves to the newest version, of which all observers are then told.
  func refresh() throws {
    try run { realm in
      realm.refresh()
      for observer in observers { observer.checkIsToldAll() }
      observers.removeAll { $0.isOver }
    }
  }

  /// The version that the realm shows.
  func shown(_ realm: Realm) throws -> LifeVersion {
    // Brings a realm that shows none to the newest one.
    _ = realm.isEmpty
    let number = realm.core.shownTables?.version ?? 0
    guard let version = log.version(number) else {
      throw LifeFailure("version \(number) is shown, which was not committed")
    }
    return version
  }

  /// Results and objects that are kept are as the state, in a transaction, too.
  func checkKept(_ state: LifeState) throws {
    if let finding = kept?().finding(state) { throw LifeFailure(finding) }
  }

  /// Everything is as in the model.
  ///
  /// - Parameter asks: Whether queries are asked, too, which cost most.
  func check(_ age: LifeAge, asks: Bool) throws {
    try run { realm in
      let version = try shown(realm)
      let expected = version.state.visible(in: age)
      let state = age.classes.state(of: realm)
      if state != expected {
        throw LifeFailure("the state differs: \(state.differences(from: expected))")
      }
      try checkKept(expected)
      guard asks else { return }
      let answers = (age.classes.answers(realm), expected.answers(in: age))
      if answers.0 != answers.1 {
        throw LifeFailure("answers are \(answers.0), not \(answers.1)")
      }
    }
    // Frozen versions are read beside the queue.
    for frozen in frozen {
      if let finding = frozen.findings().first { throw LifeFailure(finding) }
    }
  }
}

/// Why a life is not what its model is.
struct LifeFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
