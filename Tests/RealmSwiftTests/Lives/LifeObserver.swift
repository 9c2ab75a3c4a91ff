// SPDX-License-Identifier: Apache-2.0

// An observer that compares each change set with the differences of the model's versions.

import Foundation
import RealmSwift

/// Observes one subject in one place.
final class LifeObserver {
  /// Indices that a call names.
  struct Change {
    var deletions: [Int]
    var insertions: [Int]
    var modifications: [Int]
  }

  /// What a call of an observer of sections names.
  struct SectionChange {
    var deletions: [IndexPath]
    var insertions: [IndexPath]
    var modifications: [IndexPath]
    var sectionsToInsert: IndexSet
    var sectionsToDelete: IndexSet
  }

  /// An element, and which object of its id it is.
  private struct Element: Hashable {
    var row: LifeRow
    var birth: Int?
  }

  let subject: LifeSubject
  private let log: LifeLog
  /// The version that the place shows.
  private let shown: () -> UInt64
  /// The elements that there are now.
  private let current: () -> [LifeRow]
  private(set) var token: NotificationToken?
  /// The version of the last call, and what there was in it; nil before the first one.
  private var told: UInt64?
  private var elements: [Element] = []
  private(set) var isOver = false

  init(
    _ subject: LifeSubject, _ log: LifeLog, shown: @escaping () -> UInt64,
    current: @escaping () -> [LifeRow]
  ) {
    self.subject = subject
    self.log = log
    self.shown = shown
    self.current = current
    // Observers of objects have no first call.
    if case .item = subject { begin(at: shown()) }
  }

  func begin(_ token: NotificationToken) { self.token = token }

  func stop() {
    token?.invalidate()
    token = nil
    isOver = true
  }

  /// Whether transactions may be kept from it.
  var canSkip: Bool {
    if case .item = subject { return false }
    return told != nil && !isOver
  }

  /// Goes on from a version of which it is not told.
  func skip() { begin(at: shown()) }

  private func begin(at version: UInt64) {
    told = version
    elements = elements(of: current(), in: version)
  }

  private func elements(of rows: [LifeRow], in number: UInt64) -> [Element] {
    let version = log.version(number)
    return rows.map { row in
      guard case .item(let id) = row else { return Element(row: row, birth: nil) }
      return Element(row: row, birth: version?.births[.item(id)])
    }
  }

  private func find(_ text: String) { log.find("observer of \(subject): \(text)") }

  // MARK: - Calls

  func initial() {
    log.noteCall()
    if told != nil { find("a second first call") }
    let version = shown()
    checkRows(current(), version)
    begin(at: version)
  }

  func update(_ change: Change) {
    log.noteCall()
    let number = shown()
    guard let told, let version = log.version(number) else {
      return find("a call before the first one, or of an unknown version \(number)")
    }
    let rows = current()
    checkRows(rows, number)
    let new = elements(of: rows, in: number)
    let touched = log.touched(after: told, through: number)
    let place = "\(told) to \(number): \(change), \(elements.map(\.row)) to \(rows)"
    if subject.isExact {
      let expected = expectedChange(to: new, touched, version.state)
      if (change.deletions, change.insertions, change.modifications)
        != (expected.deletions, expected.insertions, expected.modifications)
      {
        find("\(place), not \(expected)")
      }
    } else {
      checkApplied(change, new, touched, version.state, place)
    }
    if change.deletions.isEmpty && change.insertions.isEmpty && change.modifications.isEmpty {
      find("\(place): nothing changed")
    }
    self.told = number
    elements = new
  }

  /// A call of an observer of sections, which are followed by their elements.
  func update(_ sections: SectionChange) {
    log.noteCall()
    let number = shown()
    guard let told, let version = log.version(number) else {
      return find("a call before the first one, or of an unknown version \(number)")
    }
    let rows = current()
    checkRows(rows, number)
    let new = elements(of: rows, in: number)
    let touched = log.touched(after: told, through: number)
    let place = "\(told) to \(number): \(sections), \(elements.map(\.row)) to \(rows)"
    check(sections, new, place) { subject.isModified($0, touched, in: version.state) }
    self.told = number
    elements = new
  }

  /// A call of an observer of a map.
  func update(deletions: [String], insertions: [String], modifications: [String]) {
    log.noteCall()
    let number = shown()
    guard let told, let version = log.version(number) else {
      return find("a call before the first one, or of an unknown version \(number)")
    }
    let rows = current()
    checkRows(rows, number)
    let touched = log.touched(after: told, through: number)
    let (old, new) = (Set(elements.map(\.row)), Set(rows))
    let modified = old.intersection(new).filter {
      subject.isModified($0, touched, in: version.state)
    }
    let found = [deletions, insertions, modifications].map { Set($0.map(LifeRow.text)) }
    let expected = [old.subtracting(new), new.subtracting(old), modified]
    if found != expected { find("\(told) to \(number): \(found), not \(expected)") }
    self.told = number
    elements = elements(of: rows, in: number)
  }

  /// A call of an observer of an object: what was set, or nil if it was deleted.
  func update(properties: [String]?, in age: LifeAge) {
    log.noteCall()
    let number = shown()
    guard let told, let key, !isOver else { return find("a call after the last one") }
    let birth = log.version(number)?.births[key]
    let isThere = birth != nil && birth == elements.first?.birth
    if let properties {
      let touched = log.touched(after: told, through: number)[key] ?? []
      let expected = Set(touched.map(age.property))
      if !isThere || Set(properties) != expected || properties.count != expected.count {
        find("\(told) to \(number): \(properties), not \(isThere ? expected : ["deleted"])")
      }
    } else {
      if isThere { find("\(told) to \(number): deleted, but it is there") }
      isOver = true
    }
    self.told = number
  }

  /// The elements of each section.
  private static func split(_ elements: [Element]) -> [[Element]] {
    elements.reduce(into: []) { sections, element in
      if case .section = element.row {
        sections.append([])
      } else {
        sections[sections.count - 1].append(element)
      }
    }
  }

  private func check(
    _ change: SectionChange, _ new: [Element], _ place: String, isModified: (LifeRow) -> Bool
  ) {
    var kept = Self.split(elements).map { $0.map(Optional.some) }
    let modified = Set(change.modifications)
    var found: [LifeRow] = []
    for (section, elements) in kept.enumerated() {
      for (index, element) in elements.enumerated() where modified.contains([section, index]) {
        if let element { found.append(element.row) }
      }
    }
    for path in change.deletions.sorted().reversed() { kept[path[0]].remove(at: path[1]) }
    for section in change.sectionsToDelete.reversed() { kept.remove(at: section) }
    for section in change.sectionsToInsert { kept.insert([], at: section) }
    for path in change.insertions.sorted() { kept[path[0]].insert(nil, at: path[1]) }
    let now = Self.split(new)
    guard kept.map(\.count) == now.map(\.count) else { return find("\(place): the numbers differ") }
    var expected: [LifeRow] = []
    for (old, new) in zip(kept.joined(), now.joined()) {
      guard let old else { continue }
      if old != new { find("\(place): \(old.row) has become \(new.row)") }
      if isModified(new.row) { expected.append(new.row) }
    }
    if found.sorted() != expected.sorted() { find("\(place): modified are \(expected)") }
  }

  private var key: LifeKey? {
    if case .item(let id) = subject { .item(id) } else { nil }
  }

  // MARK: - Comparing

  private func checkRows(_ rows: [LifeRow], _ number: UInt64) {
    guard let version = log.version(number) else { return find("version \(number) is not known") }
    let expected = subject.rows(in: version.state)
    let isEqual = subject.isOrdered ? rows == expected : rows.sorted() == expected.sorted()
    if !isEqual { find("version \(number) has \(rows), not \(expected)") }
  }

  /// The one change set from the last call to `new`.
  private func expectedChange(
    to new: [Element], _ touched: [LifeKey: Set<String>], _ state: LifeState
  ) -> Change {
    let (before, after) = (Set(elements), Set(new))
    return Change(
      deletions: elements.indices.filter { !after.contains(elements[$0]) },
      insertions: new.indices.filter { !before.contains(new[$0]) },
      modifications: elements.indices.filter {
        after.contains(elements[$0]) && subject.isModified(elements[$0].row, touched, in: state)
      })
  }

  /// Elements that are in no list stay what they were; those that are modified were touched.
  private func checkApplied(
    _ change: Change, _ new: [Element], _ touched: [LifeKey: Set<String>], _ state: LifeState,
    _ place: String
  ) {
    var kept = elements.indices.map(Optional.some)
    guard change.deletions.allSatisfy(kept.indices.contains) else {
      return find("\(place): deletions beyond the end")
    }
    for index in change.deletions.sorted().reversed() { kept.remove(at: index) }
    for index in change.insertions.sorted() {
      guard index <= kept.count else { return find("\(place): insertions beyond the end") }
      kept.insert(nil, at: index)
    }
    guard kept.count == new.count else { return find("\(place): the numbers differ") }
    for (index, old) in kept.enumerated() {
      guard let old else { continue }
      let isModified = change.modifications.contains(old)
      let isTouched = subject.isModified(new[index].row, touched, in: state)
      if !isModified, elements[old] != new[index] || isTouched {
        find("\(place): \(new[index].row) should be modified")
      }
      // An element of a list may be replaced by itself.
      if isModified, subject == .byKind, !isTouched || elements[old] != new[index] {
        find("\(place): \(new[index].row) should not be modified")
      }
    }
  }

  /// Finds a call that is missing, when the place has been brought up to date.
  func checkIsToldAll() {
    guard !isOver else { return }
    let number = shown()
    guard let told, let version = log.version(number) else { return find("no first call") }
    if let key {
      let isThere = version.births[key] == elements.first?.birth
      let isTouched = log.touched(after: told, through: number)[key] != nil
      if !isThere || isTouched { find("no call for \(told) to \(number)") }
      if current().isEmpty { find("the object is gone") }
      return self.told = number
    }
    let rows = current()
    checkRows(rows, number)
    let new = elements(of: rows, in: number)
    let touched = log.touched(after: told, through: number)
    let isDue =
      Set(new) != Set(elements) || subject.isOrdered && new != elements
      || rows.contains { subject.isModified($0, touched, in: version.state) }
    if isDue { find("no call for \(told) to \(number), from \(elements.map(\.row)) to \(rows)") }
    self.told = number
    elements = new
  }
}
