// SPDX-License-Identifier: Apache-2.0

// The past of each object between two versions.

import RealmSyncProtocol
import RealmTables

/// The touches of some consecutive versions, object by object.
struct TouchLog {
  /// The sum of one object's touches.
  struct Trace {
    /// Whether it was there before the first of the versions.
    let existedBefore: Bool
    /// Whether it was erased at some time.
    var wasErased = false
    /// The values before the first version, of the properties changed since.
    var before: [String: TableValue] = [:]
    /// The properties without kept values before.
    var unknown: Set<String> = []
    /// Whether nothing is known of its past.
    var isUnknown = false
    /// The makers of it while it was not there.
    var creators: Set<FileIdentifier> = []
    /// The files with changes of it.
    var files: Set<FileIdentifier> = []
    /// The file with the last change of it.
    var lastFile: FileIdentifier
    /// Whether the last change erased it.
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

  private mutating func add(_ touch: Touch, of file: FileIdentifier) {
    if traces[touch.object] == nil { objects.append(touch.object) }
    var trace =
      traces[touch.object]
      ?? Trace(
        existedBefore: touch.existence == .stayed || touch.existence == .erased, lastFile: file)
    if trace.existedBefore {
      // An erasure's note is complete, so nothing of a later object of the same name gets in.
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
    if touch.existence == .erased { trace.wasErased = true }
    trace.isErasedLast = touch.existence == .erased
    trace.files.insert(file)
    trace.lastFile = file
    traces[touch.object] = trace
  }
}
