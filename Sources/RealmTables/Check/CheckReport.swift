// SPDX-License-Identifier: Apache-2.0

// Collects what the checks of tables find.

import RealmStorage

/// The findings of one run, and which trees it has been in.
///
/// Damage tends to repeat for every object, so findings beyond a limit are only counted.
final class CheckReport {
  private(set) var findings: [CheckFinding] = []
  private(set) var droppedCount = 0
  private var visited: Set<Ref> = []
  private let limit = 1000
  private let watch: WorkWatch
  /// The part of the whole that has begun.
  private var part = (index: 0, count: 1)
  private(set) var isCancelled = false

  init(_ watch: WorkWatch = WorkWatch()) { self.watch = watch }

  /// Notes that one of several equal parts of the check begins.
  func begin(part index: Int, of count: Int) { part = (index, count) }

  /// Notes how much of the part is done.
  func advance(_ done: Int, of count: Int) {
    if watch.isCancelled() { isCancelled = true }
    let share = Double(done) / Double(max(count, 1))
    watch.progress((Double(part.index) + share) / Double(max(part.count, 1)))
  }

  /// Reports a contradiction to the format.
  func error(
    _ check: Int, _ message: @autoclosure () -> String, _ type: String? = nil,
    _ key: ObjectKey? = nil, property: String? = nil
  ) {
    add(check, .error, message, type, key, property)
  }

  /// Reports what is allowed but should not be.
  func warning(
    _ check: Int, _ message: @autoclosure () -> String, _ type: String? = nil,
    _ key: ObjectKey? = nil
  ) {
    add(check, .warning, message, type, key)
  }

  /// Runs `body`; an error that it throws becomes an error of that check, and nil is returned.
  func attempt<Result>(
    _ check: Int, _ type: String? = nil, _ key: ObjectKey? = nil,
    reading body: @autoclosure () throws(StorageError) -> Result
  ) -> Result? {
    do {
      return try body()
    } catch {
      let reason = if case .corrupted(let reason) = error { reason } else { "\(error)" }
      self.error(check, reason, type, key)
      return nil
    }
  }

  /// Notes that a node of a tree is about to be walked.
  ///
  /// A node has one parent. One that has two, or is its own descendant, could make a walk endless.
  func enter(_ ref: Ref) throws(StorageError) {
    guard visited.insert(ref).inserted else {
      throw .corrupted("the node at \(ref.offset) has more than one parent")
    }
  }

  private func add(
    _ check: Int, _ severity: CheckFinding.Severity, _ message: () -> String, _ type: String?,
    _ key: ObjectKey?, _ property: String? = nil
  ) {
    guard findings.count < limit else {
      droppedCount += 1
      return
    }
    findings.append(
      CheckFinding(
        check: check, severity: severity, message(), objectType: type, property: property,
        objectKey: key?.rawValue))
  }
}
