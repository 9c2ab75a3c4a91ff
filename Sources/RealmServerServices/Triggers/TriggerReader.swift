// SPDX-License-Identifier: Apache-2.0

// The thread of the events of triggers: uploads do not wait for it.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage

/// Makes events, one after the other.
actor TriggerReader {
  private nonisolated let thread = ThreadExecutor(named: "realm-triggers")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// The changes of a version.
  func changes(
    in entry: StoredEntry, ofClass name: String
  ) throws(StoreError) -> [TriggerChange] {
    try TriggerChange.all(in: entry, ofClass: name)
  }

  /// The events of some changes.
  func events(
    _ changes: [TriggerChange], first: Int, by maker: TriggerEvents, in snapshot: RealmSnapshot,
    history: [StoredEntry]?, _ work: DocumentWork
  ) throws(DocumentError) -> [BSONValue?] {
    var work = work
    return try maker.events(changes, first: first, in: snapshot, history: history, &work)
  }
}
#endif
