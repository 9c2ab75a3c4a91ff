// SPDX-License-Identifier: Apache-2.0

// What versions did to each object: collected when they are made, and read for views.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The touches of some consecutive versions, object by object.
struct TouchLog {
  /// What is left of the touches of one object.
  struct Trace {
    /// Whether it was there before the first of the versions.
    let existedBefore: Bool
    /// Whether it was erased at some time.
    var wasErased = false
    /// The values before the first version, of the properties changed since.
    var before: [String: TableValue] = [:]
    /// Those of the properties whose values before are not kept.
    var unknown: Set<String> = []
    /// Whether nothing is known of what happened to it.
    var isUnknown = false
    /// The files that made it when it was not there.
    var creators: Set<FileIdentifier> = []
    /// The files that made it as they did not have it, of which merging has left nothing.
    var losers: Set<FileIdentifier> = []
    /// All files with a touch of it.
    var files: Set<FileIdentifier> = []
    /// The file with the last touch.
    var lastFile: FileIdentifier
    var isErasedLast = false
  }

  private(set) var traces: [ObjectIdentity: Trace] = [:]
  /// The objects in the order of their first touch.
  private(set) var objects: [ObjectIdentity] = []

  /// - Parameter entries: In the order of their versions.
  init(_ entries: some Sequence<StoredEntry>) {
    for entry in entries {
      for touch in entry.touches { add(touch, of: entry.file) }
    }
  }

  /// Adds what a later version did to an object.
  mutating func add(_ touch: Touch, of file: FileIdentifier) {
    if traces[touch.object] == nil { objects.append(touch.object) }
    var trace =
      traces[touch.object]
      ?? Trace(
        existedBefore: touch.existence == .stayed || touch.existence == .erased, lastFile: file)
    if trace.existedBefore {
      // What an erasure noted is complete, so nothing of a later object of that name gets in.
      for field in touch.fields
      where trace.before[field.name] == nil && !trace.unknown.contains(field.name) {
        if let before = field.before {
          trace.before[field.name] = before
        } else {
          trace.unknown.insert(field.name)
        }
      }
    }
    if touch.existence == .unknown { trace.isUnknown = true }
    if touch.existence == .created { trace.creators.insert(file) }
    if touch.isLost { trace.losers.insert(file) }
    if touch.existence == .erased { trace.wasErased = true }
    trace.isErasedLast = touch.existence == .erased
    trace.files.insert(file)
    trace.lastFile = file
    traces[touch.object] = trace
    assert(traces.count == objects.count, "each object has one trace")
  }
}

/// Compares the objects of a changeset before and after it is carried out.
struct TouchCollector {
  private struct Before {
    let identity: ObjectIdentity
    /// Nil if there was no such object.
    let values: [(name: String, value: TableValue)]?
  }

  private let group: WriteGroup
  private var objects: [Before] = []

  init(_ group: WriteGroup) { self.group = group }

  /// Notes the objects of a changeset before it is carried out.
  mutating func begin(_ changeset: Changeset) throws(StorageError) {
    objects.removeAll(keepingCapacity: true)
    var seen: Set<ObjectReference> = []
    for instruction in changeset.instructions {
      guard let object = instruction.object, seen.insert(object).inserted else { continue }
      let identity = changeset.identity(of: object)
      objects.append(
        Before(identity: identity, values: try values(of: identity)))
    }
  }

  /// The objects and their changes since they were noted.
  ///
  /// - Parameter made: Objects made by the client, even if merging discarded it. They are touched
  ///   in any case: the client has them.
  func end(made: [ObjectIdentity]) throws(StorageError) -> [Touch] {
    var touches: [Touch] = []
    for object in objects {
      let now = try values(of: object.identity)
      switch (object.values, now) {
      case (nil, nil): touches.append(Touch(object: object.identity, existence: .absent))
      case (nil, _): touches.append(Touch(object: object.identity, existence: .created))
      case (let before?, nil):
        let fields = before.map { Touch.Field($0.name, kept: $0.value) }
        touches.append(Touch(object: object.identity, existence: .erased, fields: fields))
      case (let before?, let now?):
        var values: [String: TableValue] = [:]
        for (name, value) in now { values[name] = value }
        let fields = before.compactMap { (name, value) in
          values[name] == value ? nil : Touch.Field(name, kept: value)
        }
        touches.append(Touch(object: object.identity, existence: .stayed, fields: fields))
      }
    }
    guard !made.isEmpty else { return touches }
    var places: [ObjectIdentity: Int] = [:]
    for (place, touch) in touches.enumerated() { places[touch.object] = place }
    for object in made {
      if let place = places[object] {
        touches[place].isMade = true
      } else {
        let isThere = try values(of: object) != nil
        touches.append(
          Touch(
            object: object, existence: isThere ? .stayed : .absent, isMade: true,
            isLost: true))
      }
    }
    return touches
  }
}

extension TouchCollector {
  /// The values of queryable properties; nil if there is no such object.
  private func values(
    of object: ObjectIdentity
  ) throws(StorageError) -> [(name: String, value: TableValue)]? {
    guard let table = try group.table(named: "class_" + object.className),
      let row = try table.table.row(of: object.key)
    else { return nil }
    return try row.queryableValues(table.schema, in: group)
  }
}
