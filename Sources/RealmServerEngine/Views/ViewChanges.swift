// SPDX-License-Identifier: Apache-2.0

// What became of the objects of a class between two versions, as somebody sees it who reads some of
// them: a single change for each object, whatever happened in between.

package import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The changes of a class.
package struct ViewChanges {
  /// The fate of an object.
  package enum Change: Hashable, Sendable {
    case appeared
    /// Some properties were written.
    case changed(Set<String>)
    /// Erased and made again.
    case replaced
    case gone
  }

  /// The record of an object in the versions.
  private struct Trace {
    var fields: Set<String> = []
    var wasErased = false
    /// Whether the record begins with its making.
    let isMadeFirst: Bool
  }

  private var traces: [ObjectIdentity: Trace] = [:]
  private var order: [ObjectIdentity] = []
  package private(set) var changes: [(object: ObjectIdentity, change: Change)] = []

  /// - Parameters:
  ///   - history: The entries between the versions.
  ///   - before: The view of the first version.
  ///   - now: The view of the last one.
  ///   - readable: The counting properties.
  ///   - scratch: Nil in realms without views: all objects are seen there.
  package init(
    ofClass name: String, _ history: [StoredEntry], to snapshot: RealmSnapshot, before: View,
    now: View, readable: FieldSelection, scratch: ViewScratch?
  ) throws(StoreError) {
    for entry in history where !entry.changeset.isEmpty { try note(entry, ofClass: name, readable) }
    guard !order.isEmpty else { return }
    try StoreError.storing(
      decide(name, TouchLog(history), snapshot, before, now, scratch))
  }

  private mutating func note(
    _ entry: StoredEntry, ofClass name: String, _ readable: FieldSelection
  ) throws(StoreError) {
    let changeset: Changeset
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(entry.changeset)
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
    for instruction in changeset.instructions {
      guard let reference = instruction.object, changeset.text(of: reference.table) == name else {
        continue
      }
      let object = changeset.identity(of: reference)
      var trace: Trace
      if let known = traces[object] {
        trace = known
      } else {
        var isMade = false
        if case .createObject = instruction { isMade = true }
        trace = Trace(isMadeFirst: isMade)
        order.append(object)
      }
      if case .eraseObject = instruction { trace.wasErased = true }
      if let path = instruction.path {
        let field = changeset.text(of: path.field)
        let inside = changeset.elements(of: path).compactMap { element in
          if case .key(let key) = element { changeset.text(of: key) } else { nil }
        }
        if readable.contains(path: [field] + inside) { trace.fields.insert(field) }
      }
      traces[object] = trace
    }
    assert(traces.count == order.count, "each object has one place")
  }

  private mutating func decide(
    _ name: String, _ log: TouchLog, _ snapshot: RealmSnapshot, _ before: View, _ now: View,
    _ scratch: ViewScratch?
  ) throws(StorageError) {
    guard let table = try View.table(name, snapshot.objects) else { return }
    var keys: [ObjectIdentity: ObjectKey] = [:]
    for object in order { keys[object] = try table.key(of: object.key) }
    var seen = Set(keys.values)
    var held: Set<ObjectIdentity>?
    if let scratch {
      seen = try now.keys(
        among: Array(keys.values).sorted(), ofClass: name, table: table, in: snapshot.objects)
      held = try self.held(name, table, keys, log, snapshot, before, scratch)
    }
    for object in order {
      guard let trace = traces[object] else { continue }
      let isSeen = keys[object].map(seen.contains) ?? false
      if let known = log.traces[object], held != nil,
        known.isUnknown || !known.unknown.isDisjoint(with: before.fieldNames(ofClass: name))
      {
        // A condition asks for a value that was not kept.
        changes.append((object, isSeen ? .replaced : .gone))
        continue
      }
      switch (held?.contains(object) ?? !trace.isMadeFirst, isSeen) {
      case (false, false): continue
      case (false, true): changes.append((object, .appeared))
      case (true, false): changes.append((object, .gone))
      case (true, true):
        if trace.wasErased {
          changes.append((object, .replaced))
          continue
        }
        if !trace.fields.isEmpty { changes.append((object, .changed(trace.fields))) }
      }
    }
  }

  /// The objects seen before.
  private func held(
    _ name: String, _ table: Table, _ keys: [ObjectIdentity: ObjectKey], _ log: TouchLog,
    _ snapshot: RealmSnapshot, _ before: View, _ scratch: ViewScratch
  ) throws(StorageError) -> Set<ObjectIdentity> {
    var past: [(object: ObjectIdentity, values: [String: TableValue])] = []
    for object in order {
      guard let trace = log.traces[object], trace.existedBefore else { continue }
      var values = trace.before
      if !trace.wasErased, let key = keys[object], let row = try table.row(of: key) {
        let missing = before.fieldNames(ofClass: name).filter { values[$0] == nil }
        for (name, value) in try row.queryableValues(
          table.schema, in: snapshot.objects, of: missing)
        {
          values[name] = value
        }
      }
      past.append((object, values))
    }
    let selected = try scratch.selected(
      of: past.map(\.values), ofClass: name, table.schema,
      points: snapshot.objects.pointNames(of: table.schema), by: before)
    return Set(selected.map { past[$0].object })
  }
}
