// SPDX-License-Identifier: Apache-2.0

// The effect of versions on each object, read for views.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The touches of some consecutive versions, object by object.
struct TouchLog {
  /// The sum of the touches of one object.
  struct Trace {
    /// Whether it was there before the first of the versions.
    let existedBefore: Bool
    /// Whether it was erased at some time.
    var wasErased = false
    /// The values before the first version, of the properties changed since.
    var before: [String: TableValue] = [:]
    /// The properties without a kept earlier value.
    var unknown: Set<String> = []
    /// Whether its history is unknown.
    var isUnknown = false
    /// The files with its making, where it was missing.
    var creators: Set<FileIdentifier> = []
    /// The files that made it as they did not have it, of which merging has left nothing, or not
    /// what they have.
    var losers: Set<FileIdentifier> = []
    /// All files with a touch of it.
    var files: Set<FileIdentifier> = []
    /// The file with the last touch.
    var lastFile: FileIdentifier
    var isErasedLast = false

    /// Whether some properties of the object, which is there, have the values that they had before.
    func hasKept(_ properties: Set<String>) -> Bool {
      existedBefore && !wasErased && !isUnknown && unknown.isDisjoint(with: properties)
        && before.keys.allSatisfy { !properties.contains($0) }
    }
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

  /// Adds the touch of a later version to an object.
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
    if touch.isLost || touch.isReduced { trace.losers.insert(file) }
    if touch.existence == .erased { trace.wasErased = true }
    trace.isErasedLast = touch.existence == .erased
    trace.files.insert(file)
    trace.lastFile = file
    traces[touch.object] = trace
    assert(traces.count == objects.count, "each object has one trace")
  }
}
