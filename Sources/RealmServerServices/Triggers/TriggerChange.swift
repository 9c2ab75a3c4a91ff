// SPDX-License-Identifier: Apache-2.0

// The changes of a class in a version.

#if Server
import RealmReplication
import RealmServerEngine
import RealmSyncProtocol

/// The change of an object in a version.
struct TriggerChange: Hashable, Sendable {
  let object: ObjectIdentity
  let operation: DatabaseTrigger.Operation
  /// The written properties, sorted.
  let fields: [String]

  /// The words of a changeset about an object.
  private struct Trace {
    let isMadeFirst: Bool
    var wasErased = false
    var isErasedLast = false
    var fields: Set<String> = []
  }

  /// The changes of a version, always in the same order.
  static func all(
    in entry: StoredEntry, ofClass name: String
  ) throws(StoreError) -> [TriggerChange] {
    guard !entry.changeset.isEmpty else { return [] }
    let changeset: Changeset
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(entry.changeset)
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
    var traces: [ObjectIdentity: Trace] = [:]
    var order: [ObjectIdentity] = []
    for instruction in changeset.instructions {
      guard let reference = instruction.object, changeset.text(of: reference.table) == name else {
        continue
      }
      let object = changeset.identity(of: reference)
      var (isMade, isErased) = (false, false)
      switch instruction {
      case .createObject: isMade = true
      case .eraseObject: isErased = true
      default: break
      }
      var trace = traces[object] ?? Trace(isMadeFirst: isMade)
      if traces[object] == nil { order.append(object) }
      trace.isErasedLast = isErased
      if isErased {
        trace.wasErased = true
        trace.fields = []
      }
      if let path = instruction.path { trace.fields.insert(changeset.text(of: path.field)) }
      traces[object] = trace
    }
    var existences: [ObjectIdentity: Touch.Existence] = [:]
    for touch in entry.touches { existences[touch.object] = touch.existence }
    return order.compactMap { object in
      guard let trace = traces[object],
        let operation = operation(trace, existences[object] ?? .unknown)
      else { return nil }
      return TriggerChange(object: object, operation: operation, fields: trace.fields.sorted())
    }
  }

  /// The change of an object; nil if nothing is left of it.
  private static func operation(
    _ trace: Trace, _ existence: Touch.Existence
  ) -> DatabaseTrigger.Operation? {
    switch existence {
    case .created: .insert
    case .erased: .delete
    case .absent: nil
    case .stayed: trace.wasErased ? .replace : trace.fields.isEmpty ? nil : .update
    case .unknown:
      // Only the changeset is known, in which an object may be made that was there.
      if trace.isErasedLast {
        .delete
      } else if trace.isMadeFirst {
        .insert
      } else if trace.wasErased {
        .replace
      } else {
        trace.fields.isEmpty ? nil : .update
      }
    }
  }
}
#endif
