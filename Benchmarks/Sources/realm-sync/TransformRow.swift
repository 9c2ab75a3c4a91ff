// SPDX-License-Identifier: Apache-2.0

// How many small changesets are transformed in a second.

import RealmSyncProtocol

extension SyncRow {
  /// A client that was offline meets a server that went on: a thousand changesets on each side,
  /// about ten thousand objects, so that every tenth object is edited on both sides.
  static var transform: SyncRow {
    let local = SmallChangesets.make(1000, objects: 10_000, file: 2)
    let incoming = SmallChangesets.make(1000, objects: 10_000, file: 3)
    return SyncRow(name: "transform", unit: "changesets") {
      var transformer = Transformer()
      return rate(of: 20 * incoming.count) {
        for _ in 0..<20 { merge(local, incoming, &transformer) }
      }
    }
  }

  /// Changesets that arrive one by one, each concurrent with ten others, one of which is about
  /// the same object.
  static var transformSingly: SyncRow {
    let local = SmallChangesets.make(1000, objects: 10, file: 2, block: 10)
    let incoming = SmallChangesets.make(1000, objects: 10, file: 3, block: 1)
    return SyncRow(name: "transform, one by one", unit: "changesets") {
      var transformer = Transformer()
      return rate(of: 5 * incoming.count) {
        for _ in 0..<5 {
          for (number, changeset) in incoming.enumerated() {
            let first = 10 * (number % 100)
            merge(Array(local[first..<first + 10]), [changeset], &transformer)
          }
        }
      }
    }
  }

  private static func merge(
    _ local: [Changeset], _ incoming: [Changeset], _ transformer: inout Transformer
  ) {
    var (local, incoming) = (local, incoming)
    do {
      _ = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
    } catch {
      preconditionFailure("the changesets fit each other: \(error)")
    }
  }
}
