// SPDX-License-Identifier: Apache-2.0

// What a client has: the objects that its own changes and those of the server make of nothing.
//
// Invariants:
// 1. Changes of the server are merged with those of the client that came after their base, as
//    devices do it.
// 2. The server changes no object that the client lacks.

#if Postgres
import RealmSyncProtocol

/// The objects of a client, and those of its changes that merges need.
struct ClientContent {
  /// An object.
  struct Thing: Hashable {
    /// Queries select by it.
    var group: Int64 = 0
    var count: Int64 = 0
  }

  private struct OwnChange {
    let version: UInt64
    /// As if it came after what was downloaded since.
    var reciprocal: Changeset
  }

  private(set) var things: [String: Thing] = [:]
  private var changes: [OwnChange] = []
  private var transformer = Transformer()
  /// The objects that were made again while they were there, and what else must not happen.
  private(set) var repeated: Set<String> = []
  /// The objects that were there and are erased.
  private(set) var erased: Set<String> = []
  private(set) var problems: [String] = []

  /// Carries out an own change.
  mutating func write(
    _ bytes: [UInt8], version: UInt64, base: UInt64, time: OriginTimestamp
  ) throws {
    let origin = ChangesetOrigin(version: version, remoteVersion: base, timestamp: time)
    let changeset = try ChangesetParser.parse(bytes, origin: origin)
    apply(changeset)
    changes.append(OwnChange(version: version, reciprocal: changeset))
  }

  /// Carries out changes of the server, which take the client's file to a cursor.
  mutating func integrate(
    _ entries: [DownloadEntry], through cursor: DownloadCursor, as file: FileIdentifier
  ) throws {
    var rest = entries[...]
    while let first = rest.first {
      let part = rest.prefix { $0.clientVersion == first.clientVersion }
      rest = rest.dropFirst(part.count)
      for changeset in try merge(part, after: first.clientVersion, as: file) { apply(changeset) }
    }
    changes.removeAll { $0.version <= cursor.clientVersion }
  }

  /// Carries out a change that is merged already.
  mutating func apply(_ bytes: [UInt8]) throws { apply(try ChangesetParser.parse(bytes)) }

  /// Merges entries of one base with the own changes that came after it.
  private mutating func merge(
    _ entries: ArraySlice<DownloadEntry>, after base: UInt64, as file: FileIdentifier
  ) throws -> [Changeset] {
    var incoming = try entries.map { entry in
      try ChangesetParser.parse(
        entry.changeset,
        origin: ChangesetOrigin(
          version: entry.serverVersion, remoteVersion: entry.clientVersion, file: entry.file,
          timestamp: entry.timestamp))
    }
    let places = changes.indices.filter { changes[$0].version > base }
    var local = places.map { changes[$0].reciprocal }
    _ = try transformer.merge(local: &local, incoming: &incoming, ownIdent: file)
    for (place, changeset) in zip(places, local) { changes[place].reciprocal = changeset }
    return incoming
  }

  private mutating func apply(_ changeset: Changeset) {
    func name(_ key: PrimaryKey) -> String {
      if case .string(let text) = key { changeset.text(of: text) } else { "?" }
    }
    for instruction in changeset.instructions {
      switch instruction {
      case .createObject(let object):
        let key = name(object.key)
        if things[key] == nil { things[key] = Thing() } else { repeated.insert(key) }
      case .eraseObject(let object):
        let key = name(object.key)
        if things.removeValue(forKey: key) != nil { erased.insert(key) }
      case .update(let step):
        guard case .int(let value) = step.value else { break }
        let isGroup = changeset.text(of: step.path.field) == "group"
        change(name(step.path.key)) { thing in
          if isGroup { thing.group = value } else { thing.count = value }
        }
      case .addInteger(let step): change(name(step.path.key)) { $0.count += step.amount }
      default: break
      }
    }
  }

  private mutating func change(_ key: String, _ change: (inout Thing) -> Void) {
    guard var thing = things[key] else {
      return problems.append("a change of \(key), which it lacks")
    }
    change(&thing)
    things[key] = thing
  }
}
#endif
