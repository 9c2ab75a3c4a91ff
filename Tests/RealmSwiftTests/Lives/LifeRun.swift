// SPDX-License-Identifier: Apache-2.0

// A life, step by step beside its model.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport

@testable import RealmSession
@testable import RealmSwift

/// A file, the places that use it, and what it must hold.
final class LifeRun {
  static let placeCount = 2

  let directory: TemporaryDirectory
  let log = LifeLog()
  var file: LifeFile
  /// The newest version.
  var version = LifeVersion()
  var places: [LifePlace] = []
  var backup: (file: LifeFile, version: LifeVersion)?

  init() throws {
    QuietLog.begin
    directory = try TemporaryDirectory()
    file = LifeFile(url: URL(fileURLWithPath: directory.file("life.realm")))
    places = (0..<Self.placeCount).map { LifePlace($0, log) }
    try open(file.configuration)
    let holders = (0..<LifeEdit.holderCount).map(LifeEdit.addHolder)
    let work = LifeWork(version, holders, file.age, log)
    try places[0].run { realm in try realm.write { try work.perform(realm) } }
    version = work.result
  }

  /// Plays a life; what is wrong, or nil.
  static func failure(of steps: [LifeStep], isReadByOthers: Bool = false) async -> String? {
    var last = "the beginning"
    do {
      let run = try LifeRun()
      for (index, step) in steps.enumerated() {
        last = "step \(index)"
        if ConvergenceSeeds.isTraced { print("\(last): \(step)") }
        try await run.play(step)
        try run.check(asking: index % placeCount)
      }
      last = "the end"
      try await run.end(isReadByOthers: isReadByOthers)
      return nil
    } catch {
      return "\(last): \(error)"
    }
  }

  // MARK: - Steps

  private func play(_ step: LifeStep) async throws {
    switch step {
    case .write(let place, let way, let edits): try await write(places[place], way, edits)
    case .refresh(let place): try places[place].refresh()
    case .freeze(let place):
      let place = places[place]
      if place.frozen.count > 3 { place.frozen.removeFirst() }
      let frozen = try place.run { file.age.classes.freeze($0, try place.shown($0)) }
      place.frozen.append(frozen)
    case .thaw(let place, let index): try thaw(places[place], index)
    case .release(let place, let index):
      let place = places[place]
      if !place.frozen.isEmpty { place.frozen.remove(at: index % place.frozen.count) }
    case .observe(let place, let subject):
      let place = places[place]
      if place.observers.count > 5 { return }
      let observer = try place.run { realm in
        _ = try place.shown(realm)
        return file.age.classes.observe(subject, in: realm, log)
      }
      if let observer { try place.run { _ in place.observers.append(observer) } }
    case .stop(let place, let index):
      let place = places[place]
      try place.run { _ in
        if place.observers.isEmpty { return }
        place.observers.remove(at: index % place.observers.count).stop()
      }
    case .invalidate(let place): try places[place].invalidate(file.age)
    default: try await playOnFile(step)
    }
  }

  private func thaw(_ place: LifePlace, _ index: Int) throws {
    if place.frozen.isEmpty { return }
    let frozen = place.frozen[index % place.frozen.count]
    let findings = try place.run { realm in
      frozen.findings(thawedIn: realm, try place.shown(realm))
    }
    if let finding = findings.first { throw LifeFailure(finding) }
  }

  /// Everything is as in the model, and no observer found anything.
  ///
  /// - Parameter asked: The place whose queries are asked; nil for all.
  private func check(asking asked: Int? = nil) throws {
    for (number, place) in places.enumerated() {
      try place.check(file.age, asks: asked == nil || asked == number)
    }
    if let finding = log.findings.first { throw LifeFailure(finding) }
  }

  private func end(isReadByOthers: Bool) async throws {
    for place in places { try place.refresh() }
    try check()
    try await playOnFile(.verify)
    try await playOnFile(.reopen(durability: 0, compacting: false))
    try check()
    close()
    guard isReadByOthers, ReferenceReader.isAvailable else { return }
    let report = try ReferenceReader.check(file.url.path, key: file.key.map { [UInt8]($0) })
    if !report.errors.isEmpty || !report.warnings.isEmpty {
      throw LifeFailure("the other reader says \(report)")
    }
  }

  // MARK: - Writing

  private func write(_ place: LifePlace, _ way: LifeWay, _ edits: [LifeEdit]) async throws {
    let work = LifeWork(version, edits, file.age, log)
    switch way {
    case .detached:
      try await Realm.write(to: file.configuration) { [work] in try work.perform($0) }
    case .onActor: try await LifeActor().write(file.configuration, work)
    case .onThread:
      try onAnotherThread { [configuration = file.configuration] in
        let realm = try Realm(configuration: configuration)
        try realm.write { try work.perform(realm) }
      }
    case .asynchronous, .grouped: try writeLater(place, way, work)
    default: try place.run { try writeNow($0, place, way, work) }
    }
    if !way.isUndone { version = work.result }
  }

  private func writeNow(
    _ realm: Realm, _ place: LifePlace, _ way: LifeWay, _ work: LifeWork
  ) throws {
    switch way {
    case .beginAndCommit, .cancelling:
      realm.beginWrite()
      do { try work.perform(realm, in: place) } catch {
        realm.cancelWrite()
        throw error
      }
      if way == .cancelling { realm.cancelWrite() } else { try realm.commitWrite() }
    case .skipping:
      let skipped = place.observers.filter(\.canSkip)
      try realm.write(withoutNotifying: skipped.compactMap(\.token)) {
        try work.perform(realm, in: place)
      }
      for observer in skipped { observer.skip() }
    case .throwing:
      do {
        try realm.write {
          try work.perform(realm, in: place)
          throw LifeFile.Refusal()
        }
      } catch is LifeFile.Refusal {}
    case .joining:
      try realm.write {
        do {
          try realm.writeOrJoin {
            try work.perform(realm, in: place)
            throw LifeFile.Refusal()
          }
        } catch is LifeFile.Refusal {}
      }
    default: try realm.write { try work.perform(realm, in: place) }
    }
  }

  /// Writes that wait for the disk elsewhere.
  private func writeLater(_ place: LifePlace, _ way: LifeWay, _ work: LifeWork) throws {
    let done = DispatchSemaphore(value: 0)
    let log = log
    @Sendable func note(_ error: (any Error)?) {
      if let error { log.find("an asynchronous write failed: \(error)") }
      done.signal()
    }
    func perform(_ work: LifeWork, _ realm: Realm) {
      do { try work.perform(realm, in: place) } catch { log.find("\(error)") }
    }
    try place.run { realm in
      guard way == .grouped else {
        _ = realm.writeAsync({ perform(work, realm) }, onComplete: note)
        return
      }
      realm.beginAsyncWrite {
        perform(work.firstHalf, realm)
        realm.commitAsyncWrite(allowGrouping: true, note)
      }
      realm.beginAsyncWrite {
        perform(work.secondHalf, realm)
        realm.commitAsyncWrite(note)
      }
    }
    for _ in 0..<(way == .grouped ? 2 : 1) { done.wait() }
  }
}
