// SPDX-License-Identifier: Apache-2.0

// The check of an upload's changes, object by object, while they are carried out (P4 C.2).
//
// Invariants:
// 1. What is asked of an object is asked of its state before the changeset of a version and of that
//    after it, as all devices will see both.
// 2. What no rule allows is refused; a condition that does not fit its class allows nothing.
// 3. Of embedded objects of which the user may change a part, the rest stays: those that were there
//    are there still, with the same values in it, and new ones have the values of new objects
//    there.

import RealmQuery
import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Finds the changes of an upload that its user may not make.
package struct WriteCheck {
  /// The conditions of a class, bound to its present form.
  private struct Conditions {
    /// The objects that may be changed.
    let write: View?
    /// The objects in the client's view.
    let subscriptions: [View]
    /// The properties that may be changed.
    let writable: FieldSelection

    var views: [View] { subscriptions + (write.map { [$0] } ?? []) }

    /// The cost of an object's state, in comparisons.
    var comparisonCount: Int {
      subscriptions.reduce(1 + (write?.comparisonCountMax ?? 0)) { $0 + $1.comparisonCountMax }
    }
  }

  /// An object of a changeset.
  private struct Change {
    var fields: Set<String> = []
    var isErased = false
    /// Whether it was there.
    var existed = false
    var wasWritable = false
    var wasSeen = false
    /// What may not be changed of the embedded objects in its properties.
    var guarded = FixedParts()
  }

  private let rules: WriteRules
  private let group: WriteGroup
  private var conditions: [String: Conditions] = [:]
  private var clientVersion: UInt64 = 0
  private var changes: [ObjectIdentity: Change] = [:]
  /// The classes that a changeset gives another form.
  private var alteredClasses: Set<String> = []
  /// Objects that an earlier change of the upload found in the client's view: the client had them
  /// when it went on, also where that change moved them out of it.
  private var seen: Set<ObjectIdentity> = []
  /// The comparisons left to the upload, as others wait for it.
  private var comparisonsLeft: Int
  private(set) var refused = RefusedWrites()
  package var hasRefused: Bool { !refused.isEmpty }

  /// The comparisons of an upload with the conditions of its rules.
  @TaskLocal static var comparisonCountMax = 1 << 28

  package init(_ rules: WriteRules, in group: WriteGroup) {
    self.rules = rules
    self.group = group
    comparisonsLeft = Self.comparisonCountMax
  }

  /// The refusal of the whole upload; nil if there is none.
  var refusal: SessionRefusal? {
    comparisonsLeft >= 0
      ? nil
      : SessionRefusal(
        .badChangeset,
        "Too many objects to be compared with the subscriptions of the client at a time")
  }

  /// Notes the objects of a changeset before it is carried out.
  ///
  /// - Parameter version: The version of the client's history.
  package mutating func begin(_ changeset: Changeset, version: UInt64) throws(StorageError) {
    clientVersion = version
    changes = [:]
    var known: [ObjectReference: ObjectIdentity] = [:]
    for instruction in changeset.instructions {
      guard let reference = instruction.object else {
        alteredClasses.insert(changeset.text(of: instruction.table))
        continue
      }
      let object = known[reference] ?? changeset.identity(of: reference)
      known[reference] = object
      var change = changes[object] ?? Change()
      if let path = instruction.path { change.fields.insert(changeset.text(of: path.field)) }
      if case .eraseObject = instruction { change.isErased = true }
      changes[object] = change
    }
    for (object, state) in try states(of: changes.keys) {
      changes[object]?.existed = true
      changes[object]?.wasWritable = state.isWritable
      changes[object]?.wasSeen = state.isSeen || seen.contains(object)
    }
    for (object, change) in changes where change.existed && !change.isErased {
      let guarded = try fixedParts(of: object, change.fields)
      changes[object]?.guarded = guarded
    }
  }

  /// Compares the objects with those that were noted, once the changeset is carried out.
  package mutating func end() throws(StorageError) {
    for name in alteredClasses { conditions[name] = nil }
    alteredClasses = []
    let states = try states(of: changes.keys)
    for (object, change) in changes {
      if change.wasSeen || states[object]?.isSeen == true { seen.insert(object) }
      guard let isOutsideOfView = try refusal(of: object, change, states[object]) else { continue }
      refused.add(
        object, .init(clientVersion: clientVersion, isOutsideOfView: isOutsideOfView))
    }
  }

  // MARK: Rules

  /// Whether a change is refused: nil if it is allowed, true if only the client's view is against
  /// it.
  private mutating func refusal(
    of object: ObjectIdentity, _ change: Change, _ now: State?
  ) throws(StorageError) -> Bool? {
    let permission = rules.permissions[object.className]
    let isNew = !change.existed || change.isErased
    guard change.existed || now != nil else { return nil }
    if change.existed {
      guard change.wasWritable else { return false }
      if isNew, !permission.deletes { return false }
    }
    guard let now else { return nil }
    guard now.isWritable else { return false }
    if isNew {
      guard permission.inserts, try hasInitialValues(change.fields, of: object) else {
        return false
      }
    } else {
      let writable = try conditions(ofClass: object.className).writable
      guard change.fields.allSatisfy(writable.contains) else { return false }
    }
    // `WriteCheck` 3
    let guarded = try fixedParts(of: object, change.fields)
    guard guarded.isAllowed(after: isNew ? FixedParts() : change.guarded) else { return false }
    // A change may move an object out of the view, and none into it.
    return (change.existed ? change.wasSeen : now.isSeen) ? nil : true
  }

  /// Whether the properties of a new object that the user may not change have the values of new
  /// objects.
  private mutating func hasInitialValues(
    _ fields: Set<String>, of object: ObjectIdentity
  ) throws(StorageError) -> Bool {
    let writable = try conditions(ofClass: object.className).writable
    let guarded = fields.filter { !writable.contains($0) }
    guard !guarded.isEmpty else { return true }
    guard let table = try group.table(named: "class_" + object.className),
      let row = try table.table.row(of: object.key)
    else { return false }
    for name in guarded {
      guard let column = table.schema.column(named: name),
        try row.isInitial(in: column)
      else { return false }
    }
    return true
  }

  /// What the user may not change of the embedded objects in some properties of an object.
  private mutating func fixedParts(
    of object: ObjectIdentity, _ fields: Set<String>
  ) throws(StorageError) -> FixedParts {
    var parts = FixedParts()
    guard rules.permissions[object.className].writable.inside.keys.contains(where: fields.contains)
    else { return parts }
    let writable = try conditions(ofClass: object.className).writable
    guard let table = try group.table(named: "class_" + object.className),
      let row = try table.table.row(of: object.key)
    else { return parts }
    for (name, part) in writable.inside where fields.contains(name) {
      guard let column = table.schema.column(named: name) else { continue }
      try parts.add(column, of: row, writable: part, in: group)
    }
    return parts
  }

  // MARK: States

  /// What is asked of an object that is there.
  private struct State {
    let isWritable: Bool
    let isSeen: Bool
  }

  /// The states of those of the objects that are there.
  private mutating func states(
    of objects: some Sequence<ObjectIdentity>
  ) throws(StorageError) -> [ObjectIdentity: State] {
    var classes: [String: [ObjectIdentity]] = [:]
    for object in objects { classes[object.className, default: []].append(object) }
    var states: [ObjectIdentity: State] = [:]
    for (name, objects) in classes {
      guard let writable = try group.table(named: "class_" + name) else { continue }
      let table = try writable.table
      var keys: [ObjectKey: ObjectIdentity] = [:]
      for object in objects {
        if let key = try table.key(of: object.key) { keys[key] = object }
      }
      guard !keys.isEmpty else { continue }
      let sorted = keys.keys.sorted()
      let conditions = try conditions(ofClass: name)
      comparisonsLeft -= sorted.count * conditions.comparisonCount
      try spendElements(of: sorted, ofClass: name, table, conditions.views)
      guard comparisonsLeft >= 0 else { return [:] }
      let written =
        try conditions.write?.keys(among: sorted, ofClass: name, table: table, in: group) ?? []
      // Objects of asymmetric classes are in no view.
      var seen: Set<ObjectKey> = table.schema.kind == .topLevel ? [] : Set(sorted)
      for view in conditions.subscriptions where seen.count < sorted.count {
        seen.formUnion(try view.keys(among: sorted, ofClass: name, table: table, in: group))
      }
      for (key, object) in keys {
        states[object] = State(isWritable: written.contains(key), isSeen: seen.contains(key))
      }
    }
    return states
  }

  /// Counts the elements of collections that views look into.
  private mutating func spendElements(
    of keys: [ObjectKey], ofClass name: String, _ table: Table, _ views: [View]
  ) throws(StorageError) {
    let views = views.filter { $0.elementCosts[name] != nil }
    guard !views.isEmpty else { return }
    for key in keys where comparisonsLeft >= 0 {
      guard let row = try table.row(of: key) else { continue }
      for view in views where comparisonsLeft >= 0 {
        comparisonsLeft -= try view.elementCount(
          ofClass: name, row, table.schema, limit: comparisonsLeft + 1)
      }
    }
  }

  private mutating func conditions(ofClass name: String) throws(StorageError) -> Conditions {
    if let known = conditions[name] { return known }
    let filter = rules.permissions[name].write
    let write = try View.bind(
      EffectiveQuery([name: "TRUEPREDICATE"], filters: [name: filter]), to: group,
      kinds: [.topLevel, .asymmetric])
    var subscriptions: [View] = []
    var texts: Set<String> = []
    for text in rules.subscriptions.compactMap({ $0[name] }) where texts.insert(text).inserted {
      // A condition on a hidden property must not show in an answer.
      let query = EffectiveQuery([name: text], fields: [name: rules.permissions[name].readable])
      if case .success(let view) = try View.bind(query, to: group) {
        subscriptions.append(view)
      }
    }
    let selection = rules.permissions[name].writable
    let bound = Conditions(
      write: try? write.get(), subscriptions: subscriptions,
      writable: selection.inside.isEmpty
        ? selection : try PropertyPaths(group).bound(selection, ofClass: name))
    conditions[name] = bound
    return bound
  }
}
