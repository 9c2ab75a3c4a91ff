// SPDX-License-Identifier: Apache-2.0

// A server and clients of the model, with histories, cursors and reciprocals.

import RealmSyncProtocol
import RealmTestSupport

/// A client's file of the model.
struct ModelClient {
  var ident: FileIdentifier
  var writer: ModelWriter
  /// Own changesets by their client version; their origins have the newest server version that
  /// was integrated when they were made.
  var own: [Changeset] = []
  var reciprocals: [UInt64: Changeset] = [:]
  var version: UInt64 = 1
  var serverVersion: UInt64 = 0
  /// The newest client version that was uploaded.
  var uploaded: UInt64 = 0
  var transformer = Transformer()
  var clock: UInt64 = 1

  mutating func write(changes: Int) {
    clock += UInt64.random(in: 0...3, using: &writer.generator)
    version += 1
    var changeset = writer.transaction(changes: changes)
    changeset.origin = ChangesetOrigin(
      version: version, remoteVersion: serverVersion,
      timestamp: OriginTimestamp(milliseconds: clock))
    own.append(changeset)
  }

  /// Integrates entries of the server: changesets whose origins have server versions, and client
  /// versions as their bases.
  mutating func integrate(_ entries: [Changeset]) throws {
    for var group in Self.groups(entries) {
      let base = group[0].origin.remoteVersion
      let positions = own.indices.filter { own[$0].origin.version > base }
      var local = positions.map { reciprocals[own[$0].origin.version] ?? own[$0] }
      let outcome = try transformer.merge(local: &local, incoming: &group, ownIdent: ident)
      for position in outcome.alteredLocal {
        reciprocals[local[position].origin.version] = local[position]
      }
      for changeset in group { try writer.world.apply(changeset) }
      serverVersion = group[group.count - 1].origin.version
      version += 1
    }
  }

  /// Runs of changesets with the same base.
  static func groups(_ entries: [Changeset]) -> [[Changeset]] {
    entries.reduce(into: []) { groups, entry in
      if let last = groups.last?.last, last.origin.remoteVersion == entry.origin.remoteVersion {
        groups[groups.count - 1].append(entry)
      } else {
        groups.append([entry])
      }
    }
  }
}

/// The server of the model.
struct ModelServer {
  var world = ModelWorld()
  /// The changesets of versions 1, 2, 3 …, as they were applied.
  var history: [Changeset] = []
  /// For each client the reciprocals of server versions.
  var reciprocals: [FileIdentifier: [UInt64: Changeset]] = [:]
  /// For each client the server versions with the client version that they integrated.
  var integrated: [FileIdentifier: [(server: UInt64, client: UInt64)]] = [:]
  var transformer = Transformer()

  /// Integrates changesets of a client, as the client recorded them.
  mutating func integrate(_ upload: [Changeset], of ident: FileIdentifier) throws {
    for var group in ModelClient.groups(upload) {
      let base = Int(group[0].origin.remoteVersion)
      let versions = (base..<history.count).filter { history[$0].origin.file != ident }
      var local = versions.map { reciprocals[ident]?[UInt64($0) + 1] ?? history[$0] }
      for position in group.indices { group[position].origin.file = ident }
      let outcome = try transformer.merge(local: &local, incoming: &group, ownIdent: .server)
      for position in outcome.alteredLocal {
        reciprocals[ident, default: [:]][UInt64(versions[position]) + 1] = local[position]
      }
      for var changeset in group {
        try world.apply(changeset)
        let version = UInt64(history.count) + 1
        integrated[ident, default: []].append((version, changeset.origin.version))
        changeset.origin.version = version
        history.append(changeset)
      }
    }
  }

  /// Entries for a client after a version of the server, at most some.
  func entries(for ident: FileIdentifier, after version: UInt64, limit: Int) -> [Changeset] {
    let others = history.dropFirst(Int(version)).filter { $0.origin.file != ident }
    return others.prefix(limit).map { entry in
      var entry = entry
      let last = integrated[ident]?.last { $0.server < entry.origin.version }
      entry.origin.remoteVersion = last?.client ?? 0
      return entry
    }
  }
}
