// SPDX-License-Identifier: Apache-2.0

// Which objects go when some are deleted, found before any of them goes.
//
// Invariants:
// 1. `doomed` is what can be reached from the seeds over embedded objects, `cascade`, and
//    `cascadeIfOrphaned` but for links that lead to `kept`.
// 2. At the end, an object that only `cascadeIfOrphaned` reached has no link from an object that
//    stays. Among the sets of which this is true it is the largest: objects that only link to each
//    other do not keep each other.
// 3. Each round adds to `kept`, so the search ends; each round visits each doomed object once.

import RealmStorage

/// The objects that a deletion takes along.
struct DeletionPlan {
  private let group: WriteGroup
  private let rules: DeleteRules
  private let seeds: [StoredLink]

  /// The objects that go, the seeds first, owners before what they own.
  private(set) var doomed: [StoredLink] = []
  private var isDoomed: Set<StoredLink> = []

  /// The objects that `cascadeIfOrphaned` led to in this round.
  private var candidates: [StoredLink] = []
  private var isCandidate: Set<StoredLink> = []
  /// The objects that `cascade`, or belonging to their owner, led to in this round.
  private var taken: Set<StoredLink> = []
  /// Candidates that something which stays links to.
  private var kept: Set<StoredLink> = []

  init(_ seeds: [StoredLink], _ rules: DeleteRules, in group: WriteGroup) throws(StorageError) {
    self.group = group
    self.rules = rules
    self.seeds = seeds
    try spread(overCandidates: true)
    if candidates.isEmpty { return }
    try spread(overCandidates: false)
    let certain = isDoomed
    while true {
      try spread(overCandidates: true)
      let more = try candidatesToKeep(certain)
      assert(kept.isDisjoint(with: more), "`DeletionPlan` 3: a round finds what is kept already")
      if more.isEmpty { return }
      kept.formUnion(more)
    }
  }

  // MARK: What goes

  private mutating func spread(overCandidates: Bool) throws(StorageError) {
    doomed = []
    isDoomed = []
    candidates = []
    isCandidate = []
    taken = []
    for seed in seeds { doom(seed) }
    assert(doomed.count == isDoomed.count, "`DeletionPlan` 1: a seed is doomed once")
    var next = 0
    while next < doomed.count {
      let object = doomed[next]
      next += 1
      for link in try ownedObjects(of: object) {
        taken.insert(link)
        doom(link)
      }
      for rule in rules[object.table] where rule.rule != .deny {
        for link in try objects(at: rule.source, of: object) {
          if rule.rule == .cascade {
            taken.insert(link)
            doom(link)
          } else {
            if isCandidate.insert(link).inserted { candidates.append(link) }
            if overCandidates, !kept.contains(link) { doom(link) }
          }
        }
      }
    }
  }

  private mutating func doom(_ object: StoredLink) {
    if isDoomed.insert(object).inserted { doomed.append(object) }
  }

  /// The candidates that are doomed although something that stays links to them.
  private func candidatesToKeep(
    _ certain: Set<StoredLink>
  ) throws(StorageError) -> Set<StoredLink> {
    func isOpen(_ object: StoredLink) -> Bool {
      isCandidate.contains(object) && isDoomed.contains(object) && !certain.contains(object)
        && !kept.contains(object)
    }
    var found: [StoredLink] = []
    for candidate in candidates where isOpen(candidate) {
      if try isLinked(candidate) { found.append(candidate) }
    }
    var isFound = Set(found)
    // An object without another owner will stay, and with it its linked objects: this saves a round
    // for each object of a chain.
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      if taken.contains(object) { continue }
      for link in try outgoingLinks(of: object) where isOpen(link) {
        if isFound.insert(link).inserted { found.append(link) }
      }
    }
    return isFound
  }

  /// Whether an object that stays links to `object`.
  private func isLinked(_ object: StoredLink) throws(StorageError) -> Bool {
    let table = try group.requiredTable(object.table)
    guard let row = try table.row(of: object.key) else { return false }
    for column in unsafe table.schema.backlinkColumns {
      guard let origin = column.targetTable else { continue }
      for key in try row.backlinks(of: column)
      where !isDoomed.contains(StoredLink(table: origin, key: key)) { return true }
    }
    return false
  }

  // MARK: Denials

  /// The first rule that forbids the deletion; nil if none does.
  func denial() throws(StorageError) -> DeniedDeletion? {
    for object in doomed {
      for rule in rules[object.table] where rule.rule == .deny {
        for link in try objects(at: rule.source, of: object) where !isDoomed.contains(link) {
          return DeniedDeletion(object: object, source: rule.source)
        }
      }
    }
    return nil
  }

  // MARK: Links

  private func objects(
    at source: DeleteRules.Source, of object: StoredLink
  ) throws(StorageError) -> [StoredLink] {
    let table = try group.requiredTable(object.table)
    guard let row = try table.row(of: object.key) else { return [] }
    switch source {
    case .links(let key):
      guard let column = unsafe table.schema.column(key) else { return [] }
      return try links(in: column, of: row)
    case .backlinks(let origin, let key):
      guard let column = unsafe table.schema.backlinkColumn(from: origin, key) else { return [] }
      return try row.backlinks(of: column).map { StoredLink(table: origin, key: $0) }
    }
  }

  /// The embedded objects that belong to an object.
  private func ownedObjects(of object: StoredLink) throws(StorageError) -> [StoredLink] {
    let table = try group.requiredTable(object.table)
    var owned: [StoredLink] = []
    for column in unsafe table.schema.columns where column.type == .link {
      guard let target = column.targetTable,
        try unsafe group.requiredTable(target).schema.kind == .embedded,
        let row = try table.row(of: object.key)
      else { continue }
      owned += try links(in: column, of: row)
    }
    return owned
  }

  private func outgoingLinks(of object: StoredLink) throws(StorageError) -> [StoredLink] {
    let table = try group.requiredTable(object.table)
    guard let row = try table.row(of: object.key) else { return [] }
    var all: [StoredLink] = []
    for column in unsafe table.schema.columns where column.canLink {
      all += try links(in: column, of: row)
    }
    return all
  }

  /// The targets of a column's links; objects deleted by other devices are gone already.
  private func links(in column: Column, of row: Row) throws(StorageError) -> [StoredLink] {
    var links: [StoredLink] = []
    try row.forEachLink(in: column) { link in
      if !link.key.isTombstone { links.append(link) }
    }
    return links
  }
}
