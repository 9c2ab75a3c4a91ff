// SPDX-License-Identifier: Apache-2.0

// The calls of a realm of a store, one by one.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// A realm of a store with an observer of its calls.
struct ObservedRealm: RealmStore {
  let store: any RealmStore
  let observer: ObservedStore.Observer

  nonisolated(nonsending) func own() async throws(StoreError) -> RealmHead {
    try await observer(.own)
    return try await store.own()
  }

  nonisolated(nonsending) func close() async { await store.close() }

  nonisolated(nonsending)
    func append(
      expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StorageError) -> Batch?
    ) async throws(StoreError) -> RealmHead?
  {
    try await observer(.append)
    let head = try await store.append(expecting: version, epoch: epoch, build)
    try await observer(.appended)
    return head
  }

  nonisolated(nonsending)
    func snapshot(atLeast version: UInt64) async throws(StoreError) -> RealmSnapshot
  {
    try await observer(.snapshot)
    return try await store.snapshot(atLeast: version)
  }

  nonisolated(nonsending)
    func entries(in range: Range<UInt64>) async throws(StoreError) -> [StoredEntry]
  {
    try await store.entries(in: range)
  }

  nonisolated(nonsending)
    func allocateFile(
      for user: String, now: OriginTimestamp
    ) async throws(StoreError) -> ClientFile
  {
    try await store.allocateFile(for: user, now: now)
  }

  nonisolated(nonsending)
    func file(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile?
  {
    try await store.file(ident)
  }

  nonisolated(nonsending) func files() async throws(StoreError) -> [ClientFile] {
    try await store.files()
  }

  nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]
  {
    try await store.reciprocals(of: ident, after: version)
  }

  nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]
  {
    try await store.privates(of: ident, after: version)
  }
}
