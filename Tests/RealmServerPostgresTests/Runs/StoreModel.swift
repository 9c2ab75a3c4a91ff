// SPDX-License-Identifier: Apache-2.0

// What a realm has after appends, as plain values: the contract of stores in a few lines.

import RealmServerEngine
import RealmSyncProtocol

/// A realm as the contract says it is.
struct StoreModel {
  /// A client file and a version.
  private struct Place: Hashable, Comparable {
    let file: FileIdentifier
    let version: UInt64

    static func < (a: Place, b: Place) -> Bool { (a.file, a.version) < (b.file, b.version) }
  }

  var head: RealmHead
  private(set) var entries: [StoredEntry] = []
  private(set) var files: [FileIdentifier: ClientFile] = [:]
  private var reciprocals: [Place: [UInt8]] = [:]
  private var privates: [Place: PrivateChange] = [:]

  init(_ realm: RealmID) { head = RealmHead(realm: realm) }

  /// The keys of all things, sorted.
  var things: [String] { entries.dropFirst().map { ThingEntries.key($0.salt) }.sorted() }

  /// The entries of a range, or the error.
  func entries(in range: Range<UInt64>) -> Result<[StoredEntry], StoreError> {
    let found = entries.filter { range.contains($0.version) }
    guard let first = found.first else { return .success([]) }
    return first.version <= head.base ? .failure(.trimmed(through: head.base)) : .success(found)
  }

  func reciprocals(of file: FileIdentifier, after version: UInt64) -> [UInt64: [UInt8]] {
    var found: [UInt64: [UInt8]] = [:]
    for (place, bytes) in reciprocals where place.file == file && place.version > version {
      found[place.version] = bytes
    }
    return found
  }

  func privates(of file: FileIdentifier, after version: UInt64) -> [PrivateChange] {
    privates.filter { $0.key.file == file && $0.key.version > version }
      .sorted { $0.key < $1.key }.map(\.value)
  }

  mutating func add(_ file: ClientFile) { files[file.ident] = file }

  /// Stores a batch, or says why it is refused.
  mutating func append(
    _ batch: Batch, after version: UInt64, epoch: UInt64
  ) -> StoreError? {
    guard epoch == head.epoch else { return .fenced }
    guard version == head.version else { return .conflict(head) }
    if let refusal = batch.refusal(after: head) { return refusal }
    for file in batch.files {
      guard let old = files[file.ident] else { return .unknownFile(file.ident) }
      guard file.follows(old) else { return .outOfOrder("") }
    }
    for file in batch.files {
      files[file.ident] = file
      let last = file.isExpired ? .max : file.reciprocalBase
      reciprocals = reciprocals.filter { $0.key.file != file.ident || $0.key.version > last }
      privates = privates.filter { $0.key.file != file.ident || $0.key.version > last }
    }
    for ident in batch.forgotten where files[ident]?.isExpired == true { files[ident] = nil }
    entries += batch.entries
    for change in batch.reciprocals {
      reciprocals[Place(file: change.file, version: change.version)] = change.changeset
    }
    for change in batch.privates {
      let place = Place(file: change.file, version: change.version)
      var stored = change
      if stored.refusal == nil, !change.isRemoval { stored.refusal = privates[place]?.refusal }
      privates[place] = change.isRemoval ? nil : stored
    }
    head = batch.head(after: head)
    return nil
  }
}
